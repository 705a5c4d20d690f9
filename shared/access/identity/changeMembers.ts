import { badRequest, notFound, type Problem } from "../../base/errors/apiError.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { findGroup, maxMembersAtOnce, membersJoin, membersLeave } from "./store/groups.ts";
import { findUsers } from "./store/users.ts";

/** Every request of a member reads the names of the member's groups. */
export const maxGroupsOfUser = 100;

/**
 * Adds users to a group; existing members remain. Every uid is checked before the first user is added, and a call that
 * was cut off may be repeated.
 * @throws ApiError 404 for the group, 400 naming each uid that belongs to no user
 */
export async function addMembers(groupId: string, uids: readonly string[]): Promise<void> {
  await requireUsers(uids);
  await inParts(uids, (some) =>
    retryOnConflict(async () => {
      const group = await requireGroup(groupId);
      const users = (await findUsers(some)).filter((user) => !user.groups?.has(groupId));
      const full = users.filter((user) => (user.groups?.size ?? 0) >= maxGroupsOfUser);
      if (full.length > 0)
        throw badRequest(
          full.map(({ uid }) => wrong(uids, uid, `is in ${maxGroupsOfUser} groups, which is the limit`)),
        );
      if (users.length > 0)
        await table().write(
          ...membersJoin(
            group,
            users.map(({ uid }) => uid),
          ),
        );
    }),
  );
}

/** Takes users out of a group; who is not in it is left alone. @throws ApiError 404 for the group */
export async function removeMembers(groupId: string, uids: readonly string[]): Promise<void> {
  await inParts(uids, (some) =>
    retryOnConflict(async () => {
      const group = await requireGroup(groupId);
      const users = (await findUsers(some)).filter((user) => user.groups?.has(groupId));
      if (users.length > 0)
        await table().write(
          ...membersLeave(
            group,
            users.map(({ uid }) => uid),
          ),
        );
    }),
  );
  if (uids.length === 0) await requireGroup(groupId);
}

/** @throws ApiError 400 naming each uid that belongs to no user */
export async function requireUsers(uids: readonly string[]): Promise<void> {
  const known = new Set((await findUsers(uids)).map(({ uid }) => uid));
  const unknown = uids.filter((uid) => !known.has(uid));
  if (unknown.length > 0) throw badRequest(unknown.map((uid) => wrong(uids, uid, `user ${uid} does not exist`)));
}

export async function requireGroup(groupId: string) {
  const group = await findGroup(groupId);
  if (group === undefined) throw notFound(`user group ${groupId}`);
  return group;
}

function wrong(uids: readonly string[], uid: string, problem: string): Problem {
  return { in: "body", path: `uids[${uids.indexOf(uid)}]`, problem };
}

async function inParts(uids: readonly string[], work: (some: readonly string[]) => Promise<void>): Promise<void> {
  const each = [...new Set(uids)];
  for (let at = 0; at < each.length; at += maxMembersAtOnce) await work(each.slice(at, at + maxMembersAtOnce));
}
