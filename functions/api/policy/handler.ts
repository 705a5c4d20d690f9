import type * as z from "zod";
import { permissionDefinitions } from "../../../shared/access/identity/rules/definitions.ts";
import type { BoundUser } from "../../../shared/access/identity/store/bindings.ts";
import { badRequest } from "../../../shared/base/errors/apiError.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import type { Identity } from "./bindingTargets.ts";
import { addRole, removeRoles, setRoles } from "./changeBindings.ts";
import { createRole, deleteRole, updateRole } from "./changeRoles.ts";
import { listBindings, type ShownBinding } from "./readBindings.ts";
import { listRoles, readRole, requirePolicy } from "./readRoles.ts";
import { policyRoutes } from "./routes.ts";
import type { bindingList, newRoleBinding } from "./schemas.ts";

export const handler = createApi(policyRoutes, {
  listDefinitions: async ({ query }) => {
    await requirePolicy(query.projectName, { consistent: false });
    return permissionDefinitions(query.envType);
  },

  listRoles: ({ query }) => listRoles(query.namespace, query.uid),

  getRole: ({ params, query }) => readRole(query.namespace, params.name),

  createRole: async ({ query, body }) => {
    if (body.namespace !== undefined && body.namespace !== query.namespace)
      throw badRequest([
        { in: "body", path: "namespace", problem: `must be the query's namespace ${query.namespace}` },
      ]);
    await createRole(query.namespace, { name: body.name, verbs: body.actions, description: body.desc });
    return success;
  },

  updateRole: async ({ params, query, body }) => {
    await updateRole(query.namespace, params.name, { verbs: body.actions, description: body.desc });
    return success;
  },

  deleteRole: async ({ params, query }) => {
    await deleteRole(query.namespace, params.name);
    return success;
  },

  listBindings: async ({ query }) => toBindingList(await listBindings(query.namespace, query)),

  addBinding: async ({ query, body }) => {
    await addRole(query.namespace, body.role, toIdentities(body));
    return success;
  },

  setUserRoles: async ({ params, query, body }) => {
    await setRoles(query.namespace, { kind: "user", id: params.uid }, body.roles);
    return success;
  },

  removeUserRoles: async ({ params, query }) => {
    await removeRoles(query.namespace, { kind: "user", id: params.uid });
    return success;
  },

  setGroupRoles: async ({ params, query, body }) => {
    await setRoles(query.namespace, { kind: "group", id: params.gid }, body.roles);
    return success;
  },

  removeGroupRoles: async ({ params, query }) => {
    await removeRoles(query.namespace, { kind: "group", id: params.gid });
    return success;
  },
});

function toIdentities({ identities }: z.output<typeof newRoleBinding>): Identity[] {
  return identities.map(({ identity_type, uid, gid }) => {
    return { kind: identity_type, id: (identity_type === "user" ? uid : gid) ?? "" };
  });
}

/** Contract I 7.1: other keys than anywhere else, `username` and `group_id`. */
function toBindingList(bindings: readonly ShownBinding[]): z.input<typeof bindingList> {
  return bindings.map((binding) => {
    const { roles } = binding;
    if ("user" in binding) return { binding_type: "user", user_info: userInfo(binding.user), roles };
    const { groupId, name, users } = binding.group;
    return { binding_type: "group", group_info: { group_id: groupId, name, user_infos: users.map(userInfo) }, roles };
  });
}

function userInfo({ identityType, uid, account, name }: BoundUser) {
  return { identity_type: identityType, uid, account, username: name };
}
