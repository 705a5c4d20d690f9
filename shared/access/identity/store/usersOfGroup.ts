import { allUsersGroupId } from "../rules/actions.ts";
import type { BoundUser } from "./bindings.ts";
import { membersOf } from "./groups.ts";
import { findUsers, listUsers } from "./users.ts";

/** The standing members of a group by account; of the group of all users everybody. */
export async function usersOfGroup(groupId: string): Promise<BoundUser[]> {
  if (groupId === allUsersGroupId) return listUsers();
  const users = await findUsers(await membersOf(groupId));
  return users.sort((a, b) => (a.account < b.account ? -1 : 1));
}
