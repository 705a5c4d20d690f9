import { removeUser } from "../../../shared/access/identity/removeUser.ts";
import { readPeopleCounters } from "../../../shared/access/identity/store/peopleCounters.ts";
import { countSignedInSince } from "../../../shared/access/identity/store/users.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { changePassword } from "./changePassword.ts";
import { allowApiTokens, changeProfile, requireUser } from "./changeUsers.ts";
import { everybody, listUsersThatFit } from "./listUsers.ts";
import { describeUser, describeUsers } from "./userInfo.ts";
import type { userRoutes } from "./userRoutes.ts";
import { addUser, requireFreeAccount, viewPersonal } from "./users.ts";
import { brief, created, describeLock, detail, toSearch, userInfo } from "./wire.ts";

export const userHandlers: Handlers<typeof userRoutes> = {
  listUsers: async ({ query }) => {
    const { account, name, roles, identity_type: identityType, projectName: namespace } = query;
    const search = { ...everybody, account, name, roles, identityType, namespace };
    const page = account === "" ? query.pageNum : 1;
    const { users, total } = await listUsersThatFit(search, page, query.pageSize);
    return { users: users.map(brief), total_count: total };
  },

  getUser: async ({ params }) => detail(await requireUser(params.uid)),

  deleteUser: async ({ params, caller }) => {
    await removeUser(params.uid, caller.uid);
    return success;
  },

  removeUser: async ({ params, caller }) => {
    await removeUser(params.uid, caller.uid);
    return success;
  },

  createUser: async ({ body }) => created(await addUser(body)),

  getUserInfo: async ({ params }) => userInfo(await describeUser(params.uid)),

  updateUser: async ({ params, body }) => {
    if (body.api_token_enabled !== undefined) await allowApiTokens(params.uid, body.api_token_enabled);
    await changeProfile(params.uid, body);
    return success;
  },

  getPersonal: async ({ params, caller, leaveNoOperationLog }) => {
    const { described, token } = await viewPersonal({ uid: params.uid, isSystemAdmin: caller.grants.systemAdmin });
    if (token === "") leaveNoOperationLog();
    return userInfo(described, token);
  },

  updatePersonal: async ({ params, body }) => {
    await changeProfile(params.uid, body);
    return success;
  },

  changePassword: async ({ params, body, tokenHash, sourceAddress, setHeader }) => {
    await changePassword(params.uid, body, { tokenHash, address: sourceAddress }).catch((error: unknown) => {
      throw describeLock(error, setHeader);
    });
    return success;
  },

  searchUsers: async ({ body }) => {
    const { users, total } = await listUsersThatFit(toSearch(body), pageOf(body.page), sizeOf(body.per_page));
    const described = await describeUsers(users.map(({ uid }) => uid));
    return { users: described.map((user) => userInfo(user)), total_count: total };
  },

  searchBriefUsers: async ({ body }) => {
    const { users, total } = await listUsersThatFit(toSearch(body), pageOf(body.page), sizeOf(body.per_page));
    return { users: users.map(brief), total_count: total };
  },

  countUsers: async () => countUsers(),

  checkDuplicate: async ({ query }) => {
    await requireFreeAccount(query.username);
    return success;
  },
};

/** Values below 1 give the default (decisions 1.5). */
const pageOf = (page: number): number => Math.max(1, page);
const sizeOf = (size: number): number => (size < 1 ? 200 : Math.min(size, 200));

const activeSeconds = 30 * 24 * 3600;

/** Users by identity type; active is who signed in within 30 days. */
async function countUsers() {
  const [counters, active] = await Promise.all([
    readPeopleCounters(),
    countSignedInSince(nowSeconds() - activeSeconds),
  ]);
  return {
    user_info: Object.entries(counters.usersByType).map(([identity_type, count]) => ({ identity_type, count })),
    active_user: active,
    total_user: counters.users,
  };
}
