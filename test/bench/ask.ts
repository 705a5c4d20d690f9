import type { Caller } from "../harness/boutique.ts";

/** A call that has to succeed. @throws Error with the answer when it is not 200 */
export async function ask(slipway: Caller, method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await slipway.call(method, path, { body });
  if (status !== 200) throw new Error(`${method} ${path}: ${text}`);
}
