import { config } from "../../settings/config.ts";
import { adapters } from "../adapters.ts";

/** Starts a function and does not wait for it; one that fails is run again twice. */
export async function invokeLater(name: string, event: unknown): Promise<void> {
  const fullName = config().SLIPWAY_FUNCTION_PREFIX + name;
  const payload = JSON.stringify(event);
  await (adapters()?.functions.invokeLater(fullName, payload) ??
    (await import("./functionsInAws.ts")).invokeLater(fullName, payload));
}
