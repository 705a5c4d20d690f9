import { ApiError } from "../../base/errors/apiError.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { conflictedOnlyOn } from "../../base/store/tableClient.ts";
import { remove, type Write } from "../../base/store/writes.ts";
import { leaveAllModes } from "./leaveAllModes.ts";
import { bindingsOfUser, bindUser, subjectOfUser } from "./store/bindings.ts";
import { findAnyGroup, membersLeave } from "./store/groups.ts";
import { administratorLeaves } from "./store/policies.ts";
import { allTokenKeys } from "./store/tokens.ts";
import { findAnyUser, findUser, markUserDeleting, removeUserRecord, type User } from "./store/users.ts";

/**
 * Deletes a user: tokens and session end in this moment, then memberships and bindings are taken away (contract I 5.3).
 * What carries the name as text stays. An unknown user is left alone.
 * @throws ApiError 6001 for oneself and for the last user who is bound to `admin` directly
 */
export async function removeUser(uid: string, callerUid: string): Promise<void> {
  if (uid === callerUid) throw new ApiError(6001, "nobody can delete themselves; another administrator can");
  if ((await findUser(uid)) === undefined) return;
  await enableReconciler();
  await retryOnConflict(async () => {
    const user = await findUser(uid);
    if (user !== undefined) await markDeleting(user);
  });
  await finishUserRemoval(uid);
}

async function markDeleting(user: Parameters<typeof markUserDeleting>[0]): Promise<void> {
  try {
    await markUserDeleting(user, administratorLeaves(user.uid));
  } catch (error) {
    if (!conflictedOnlyOn(error, "administrator")) throw error;
    throw new ApiError(6001, "this is the last system administrator; bind another user to the role admin first");
  }
}

/**
 * Takes away what is left of a user who is being deleted. The request and the reconciler may do it at the same moment: who
 * finds something done already looks again.
 */
export function finishUserRemoval(uid: string): Promise<void> {
  return retryOnConflict(() => takeAway(uid));
}

async function takeAway(uid: string): Promise<void> {
  const user = await findAnyUser(uid);
  if (!user?.deleting) return;
  for (const groupId of user.groups ?? []) await leave(groupId, uid);
  await leaveAllModes(subjectOfUser(uid));
  await removeAll((await bindingsOfUser(uid)).map((binding) => bindUser(user, { ...binding, roleIds: [] }, binding)));
  await removeAll((await allTokenKeys(uid, user.loginTokenHash)).map((key) => remove(key)));
  const left = await findAnyUser(uid);
  if (left !== undefined) await removeUserRecord(left);
}

function leave(groupId: string, uid: User["uid"]): Promise<void> {
  return retryOnConflict(async () => {
    const [group, user] = await Promise.all([findAnyGroup(groupId), findAnyUser(uid)]);
    if (group !== undefined && user?.groups?.has(groupId)) await table().write(...membersLeave(group, [uid]));
  });
}

async function removeAll(writes: readonly Write[]): Promise<void> {
  for (let at = 0; at < writes.length; at += 100) await table().write(...writes.slice(at, at + 100));
}
