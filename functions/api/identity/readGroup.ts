import { notFound } from "../../../shared/errors/apiError.ts";
import { allUsersGroup, allUsersGroupId } from "../../../shared/identity/rules/actions.ts";
import { findGroupWithMembers } from "../../../shared/identity/store/groups.ts";
import { listUsers } from "../../../shared/identity/store/users.ts";
import { allUsersDescription } from "./listGroups.ts";

/** A group with the uids of its members; of `all-users` those of everybody. @throws ApiError 404 */
export async function readGroup(groupId: string) {
  if (groupId === allUsersGroupId) {
    const uids = (await listUsers()).map(({ uid }) => uid);
    return { id: groupId, name: allUsersGroup, description: allUsersDescription, type: "system" as const, uids };
  }
  const found = await findGroupWithMembers(groupId);
  if (found === undefined) throw notFound(`user group ${groupId}`);
  const { name, description } = found.group;
  return { id: groupId, name, description, type: "custom" as const, uids: found.uids };
}
