import { taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { entriesOnPage } from "./adminQueries.ts";
import { slipway } from "./session.ts";

/** Users that a search for new members shows. */
const mostFound = 10;

/** @param page from 1 @param name a part of it, or empty for all */
export const groupsQuery = (page: number, name: string) =>
  queryOptions({
    queryKey: ["groups", page, name],
    queryFn: () => {
      const query = { pageNum: String(page), pageSize: String(entriesOnPage), name };
      return taken(slipway().GET("/openapi/user-groups", { params: { query } }));
    },
  });

export const groupQuery = (id: string) =>
  queryOptions({
    queryKey: ["group", id],
    queryFn: () => taken(slipway().GET("/api/v1/user-group/{id}", { params: { path: { id } } })),
  });

/** Users by their ids, of one page of a list. */
export const membersQuery = (uids: readonly string[]) =>
  queryOptions({
    queryKey: ["members", uids],
    queryFn: async () => {
      if (uids.length === 0) return [];
      const body = { uids: [...uids], per_page: uids.length };
      return (await taken(slipway().POST("/api/v1/users/brief", { body }))).users;
    },
  });

/** Users with exactly this account, and those with a name that has it as a part. */
export const peopleQuery = (text: string) =>
  queryOptions({
    queryKey: ["people", text],
    queryFn: async () => {
      const search = (by: { account?: string; name?: string }) =>
        taken(slipway().POST("/api/v1/users/brief", { body: { ...by, identity_type: "*", per_page: mostFound } }));
      const found = await Promise.all([search({ account: text }), search({ name: text })]);
      return [...new Map(found.flatMap(({ users }) => users).map((user) => [user.uid, user])).values()];
    },
    enabled: text !== "",
  });

/** The roles of a project or of the installation, and those of them that a group has. */
export const groupRolesQuery = (id: string, namespace: string) =>
  queryOptions({
    queryKey: ["group roles", id, namespace],
    queryFn: async () => {
      const [roles, bindings] = await Promise.all([
        taken(slipway().GET("/openapi/policy/roles", { params: { query: { namespace } } })),
        taken(slipway().GET("/openapi/policy/role-bindings", { params: { query: { namespace, gid: id } } })),
      ]);
      return { roles, held: bindings.flatMap((binding) => binding.roles) };
    },
    refetchOnWindowFocus: false,
  });

const ofGroup = (id: string) => ({ params: { path: { id } } });

/** @returns its id */
export async function createGroup(name: string, description: string): Promise<string> {
  return (await taken(slipway().POST("/api/v1/user-group", { body: { name, description } }))).group_id;
}

export function describeGroup(id: string, name: string, description: string) {
  return taken(slipway().PUT("/api/v1/user-group/{id}", { ...ofGroup(id), body: { name, description } }));
}

export function deleteGroup(id: string) {
  return taken(slipway().DELETE("/api/v1/user-group/{id}", ofGroup(id)));
}

export function addMember(id: string, uid: string) {
  const body = { uids: [uid] };
  return taken(slipway().POST("/api/v1/user-group/{id}/bulk-create-users", { ...ofGroup(id), body }));
}

export function removeMember(id: string, uid: string) {
  const body = { uids: [uid] };
  return taken(slipway().POST("/api/v1/user-group/{id}/bulk-delete-users", { ...ofGroup(id), body }));
}

/** Gives a group exactly these roles in a project or in the installation. */
export function saveGroupRoles(id: string, namespace: string, roles: string[]) {
  const params = { path: { gid: id }, query: { namespace } };
  return taken(slipway().POST("/openapi/policy/role-bindings/group/{gid}", { params, body: { roles } }));
}
