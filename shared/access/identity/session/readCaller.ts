import { ApiError } from "../../../base/errors/apiError.ts";
import type { Key } from "../../../base/store/keys/keys.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { type Grants, joinGrants, type TokenLimits } from "../rules/grants.ts";
import { readHolder, readHolderEverywhere } from "../store/readHolder.ts";

/** How much of what the caller holds is needed; `besides` is read in the same batch. */
export type CallerReach =
  | "everywhere"
  | { projectKey: string | undefined; withModes: boolean; besides?: readonly Key[] };

/**
 * The bearer of the token and what the bearer holds, read at every request.
 * @throws ApiError 401 when the user is gone, or may no longer have API tokens
 */
export async function readCaller(
  bearer: { uid: string; kind: "api" | "login"; limits?: TokenLimits },
  where: CallerReach,
): Promise<{
  caller: { uid: string; account: string; name: string; identityType: string; grants: Grants };
  besides: readonly Item<object>[];
}> {
  const { user, besides, ...holder } = await (where === "everywhere"
    ? readHolderEverywhere(bearer.uid)
    : readHolder(bearer.uid, where));
  if (user === undefined) throw new ApiError(401, "token mismatch");
  const { uid, account, name, identityType } = user;
  const grants = joinGrants({ ...holder, ...(bearer.limits && { limits: bearer.limits }) });
  if (bearer.kind === "api" && !user.apiTokenEnabled && !grants.systemAdmin) throw new ApiError(401, "token mismatch");
  return { caller: { uid, account, name, identityType, grants }, besides };
}
