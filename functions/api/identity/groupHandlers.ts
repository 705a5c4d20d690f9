import { addMembers, removeMembers } from "../../../shared/access/identity/changeMembers.ts";
import { changeGroup, createUserGroup } from "../../../shared/access/identity/createUserGroup.ts";
import { removeGroup } from "../../../shared/access/identity/removeGroup.ts";
import { allUsersGroup, allUsersGroupId } from "../../../shared/access/identity/rules/actions.ts";
import { findGroupWithMembers } from "../../../shared/access/identity/store/groups.ts";
import { listUsers } from "../../../shared/access/identity/store/users.ts";
import { badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { groupRoutes } from "./groupRoutes.ts";
import { allUsersDescription, listGroupsThatFit } from "./listGroups.ts";
import { groupItem } from "./wire.ts";

export const groupHandlers: Handlers<typeof groupRoutes> = {
  listUserGroups: async ({ query }) => page({ ...query, uid: "" }, query.pageNum, query.pageSize),

  listGroups: async ({ query }) => page(query, query.page_num, query.page_size),

  createGroup: async ({ body }) => {
    const { groupId, name, description, createdAt, updatedAt } = await createUserGroup(body, body.uids);
    return {
      group_id: groupId,
      group_name: name,
      description,
      type: 2,
      created_at: createdAt,
      updated_at: updatedAt,
    };
  },

  getGroup: ({ params }) => readGroup(params.id.toLowerCase()),

  updateGroup: async ({ params, body }) => {
    await changeGroup(made(params.id), body);
    return success;
  },

  deleteGroup: async ({ params }) => {
    await removeGroup(made(params.id));
    return success;
  },

  addGroupMembers: async ({ params, body }) => {
    await addMembers(made(params.id), body.uids);
    return success;
  },

  removeGroupMembers: async ({ params, body }) => {
    await removeMembers(made(params.id), body.uids);
    return success;
  },
};

/** @throws ApiError 400 for the group of all users, which no user made and no user can change */
function made(groupId: string): string {
  if (groupId.toLowerCase() === allUsersGroupId)
    throw badRequest([
      { in: "path", path: "id", problem: `${allUsersGroup} contains every user and cannot be changed` },
    ]);
  return groupId;
}

async function page(search: { name: string; uid: string }, number: number, size: number) {
  const { groups, total } = await listGroupsThatFit(search, number, size);
  return { group_list: groups.map((group) => groupItem(group, allUsersGroupId)), total };
}

/** A group with the uids of its members; of `all-users` those of everybody. @throws ApiError 404 */
async function readGroup(groupId: string) {
  if (groupId === allUsersGroupId) {
    const uids = (await listUsers()).map(({ uid }) => uid);
    return { id: groupId, name: allUsersGroup, description: allUsersDescription, type: "system" as const, uids };
  }
  const found = await findGroupWithMembers(groupId);
  if (found === undefined) throw notFound(`user group ${groupId}`);
  const { name, description } = found.group;
  return { id: groupId, name, description, type: "custom" as const, uids: found.uids };
}
