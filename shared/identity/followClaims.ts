import { ApiError } from "../errors/apiError.ts";
import { addMembers, removeMembers } from "./changeMembers.ts";
import { changeUser, findUser } from "./store/users.ts";

/**
 * Lets a user's memberships follow what the identity provider says: into groups that it names now, out of those that only
 * it had put the user into. Whom an administrator put into a group stays there.
 */
export async function followClaims(uid: string, groupIds: readonly string[]): Promise<void> {
  const user = await findUser(uid);
  if (user === undefined) return;
  const before = user.claimedGroups ?? [];
  const leaving = before.filter((groupId) => !groupIds.includes(groupId) && user.groups?.has(groupId));
  const joining = groupIds.filter((groupId) => !user.groups?.has(groupId));
  const claimed = [...before.filter((groupId) => groupIds.includes(groupId)), ...joining];
  for (const groupId of leaving) await unlessGone(removeMembers(groupId, [uid]));
  // Noted before it is done: what a crash leaves half done is still known to come from the provider.
  await changeUser(uid, (stored) => ({ user: { ...stored, claimedGroups: [...new Set(claimed)] } }));
  for (const groupId of joining) await unlessGone(addMembers(groupId, [uid]));
}

/** A group that an administrator deletes at the same moment is no reason to refuse a sign-in. */
async function unlessGone(change: Promise<void>): Promise<void> {
  await change.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  });
}
