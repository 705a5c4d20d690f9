import { config } from "../../settings/config.ts";
import { adapters } from "../adapters.ts";

/** Runs a function and waits for its answer. @throws Error with the function's own words when it fails */
export async function invokeNow(name: string, event: unknown): Promise<unknown> {
  const fullName = config().SLIPWAY_FUNCTION_PREFIX + name;
  const payload = JSON.stringify(event);
  const { failed, answer } = await (adapters()?.functions.invoke(fullName, payload) ??
    (await import("./functionsInAws.ts")).invoke(fullName, payload));
  const value: unknown = JSON.parse(answer);
  if (failed) throw new Error(`function ${name} failed: ${JSON.stringify(value)}`);
  return value;
}
