import { readCaller } from "../access/identity/session/readCaller.ts";
import type { Caller } from "./exchange.ts";

/**
 * The caller with what is held in a project that the request does not name.
 * @param withModes also what collaboration modes give
 */
export async function callerIn(
  { uid, grants: { limits } }: Caller,
  projectKey: string,
  { withModes } = { withModes: true },
): Promise<Caller> {
  const bearer = { uid, kind: "login", ...(limits && { limits }) } as const;
  return (await readCaller(bearer, { projectKey, withModes })).caller;
}
