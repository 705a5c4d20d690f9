import { ApiError } from "../domain/errors/apiError.ts";
import { type Grants, joinGrants } from "../domain/identity/grants.ts";
import { loadSubject } from "../store/identity/users.ts";

/**
 * Who bears the token and what the bearer holds, read afresh at every request.
 * @throws ApiError 401 when the user is gone
 */
export async function loadCaller(
  bearer: { uid: string },
  where: "everywhere" | { projectKey: string | undefined },
): Promise<{ uid: string; account: string; name: string; grants: Grants }> {
  const { user, own, allUsers } = await loadSubject(bearer.uid, where);
  if (user === undefined) throw new ApiError(401, "token mismatch");
  return { uid: user.uid, account: user.account, name: user.name, grants: joinGrants(own, allUsers) };
}
