import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { leaveAllModes } from "./leaveAllModes.ts";
import { markGroupBound, namespacesOfGroup, subjectOfGroup } from "./store/bindings.ts";
import {
  findAnyGroup,
  findGroup,
  markGroupDeleting,
  maxMembersAtOnce,
  membersLeave,
  membersOf,
  removeGroupRecord,
} from "./store/groups.ts";
import { findPolicy, replacePolicy } from "./store/policies.ts";

/** Deletes a group with its bindings and memberships; an unknown one is left alone. */
export async function removeGroup(groupId: string): Promise<void> {
  if ((await findGroup(groupId)) === undefined) return;
  await enableReconciler();
  await retryOnConflict(async () => {
    const group = await findGroup(groupId);
    if (group !== undefined) await markGroupDeleting(group);
  });
  await finishGroupRemoval(groupId);
}

/**
 * Takes away what is left of a group that is being deleted, what it holds first. The request and the reconciler may do it
 * at the same moment: who finds something done already looks again.
 */
export function finishGroupRemoval(groupId: string): Promise<void> {
  return retryOnConflict(() => takeAway(groupId));
}

async function takeAway(groupId: string): Promise<void> {
  if (!(await findAnyGroup(groupId))?.deleting) return;
  for (const namespace of await namespacesOfGroup(groupId)) await unbind(groupId, namespace);
  await leaveAllModes(subjectOfGroup(groupId));
  const uids = await membersOf(groupId);
  for (let at = 0; at < uids.length; at += maxMembersAtOnce) {
    const group = await findAnyGroup(groupId);
    if (group !== undefined) await table().write(...membersLeave(group, uids.slice(at, at + maxMembersAtOnce)));
  }
  const group = await findAnyGroup(groupId);
  if (group !== undefined) await removeGroupRecord(group);
}

function unbind(groupId: string, namespace: string): Promise<void> {
  return retryOnConflict(async () => {
    const policy = await findPolicy(namespace);
    const { [groupId]: _, ...groups } = policy?.groups ?? {};
    const writes = policy === undefined ? [] : [replacePolicy(policy, { groups })];
    await table().write(...writes, markGroupBound(groupId, namespace, false));
  });
}
