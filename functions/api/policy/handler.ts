import { badRequest } from "../../../shared/errors/apiError.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { success } from "../../../shared/http/schemas.ts";
import { permissionDefinitions } from "../../../shared/identity/rules/definitions.ts";
import { addRole, removeRoles, setRoles } from "./changeBindings.ts";
import { createRole, deleteRole, updateRole } from "./changeRoles.ts";
import { listBindings } from "./readBindings.ts";
import { listRoles, readRole, requirePolicy } from "./readRoles.ts";
import { policyRoutes } from "./routes.ts";
import { toBindingList, toIdentities } from "./wire.ts";

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
