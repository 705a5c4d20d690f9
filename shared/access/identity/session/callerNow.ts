import { bearerOf } from "./authenticateToken.ts";
import { readCaller } from "./readCaller.ts";

/** Who bears the token of that hash and what the bearer holds by now: for what lasts longer than a request. @throws ApiError 401 */
export async function callerNow(tokenHash: string) {
  return (await readCaller(await bearerOf(tokenHash), "everywhere")).caller;
}
