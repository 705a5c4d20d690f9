import type { Answer, Slipway } from "../../../harness/slipway.ts";

export interface Person {
  uid: string;
  token: string;
}

export interface RoleShown {
  id: number;
  name: string;
  namespace: string;
  desc: string;
  type: string;
  rules?: { resource: string; verbs: string[] }[];
}

/** The policy endpoints as clients call them; `token` is the administrator's unless given. */
export function policyCalls(slipway: Slipway) {
  const at = (path: string, namespace: string) => `/openapi/policy/${path}?namespace=${encodeURIComponent(namespace)}`;
  type By = { token?: string };
  return {
    createProject: (project_key: string, is_public = false): Promise<Answer> => {
      const body = { project_name: project_key, project_key, project_type: "yaml", is_public };
      return slipway.call("POST", "/openapi/projects/project", { body });
    },
    createRole: (namespace: string, name: string, actions: string[], by: By = {}) =>
      slipway.call("POST", at("roles", namespace), { body: { name, namespace, actions }, ...by }),
    updateRole: (namespace: string, name: string, actions: string[], by: By = {}) =>
      slipway.call("PUT", at(`roles/${encodeURIComponent(name)}`, namespace), { body: { actions }, ...by }),
    deleteRole: (namespace: string, name: string, by: By = {}) =>
      slipway.call("DELETE", at(`roles/${encodeURIComponent(name)}`, namespace), by),
    roles: (namespace: string, more = "") => slipway.call<RoleShown[]>("GET", at("roles", namespace) + more),
    role: (namespace: string, name: string) =>
      slipway.call<RoleShown>("GET", at(`roles/${encodeURIComponent(name)}`, namespace)),
    bind: (namespace: string, role: string, identity: { uid?: string; gid?: string }, by: By = {}) =>
      slipway.call("POST", at("role-bindings", namespace), { body: { role, ...identity }, ...by }),
    setRoles: (namespace: string, kind: "user" | "group", id: string, roles: string[], by: By = {}) =>
      slipway.call("POST", at(`role-bindings/${kind}/${id}`, namespace), { body: { roles }, ...by }),
    unbind: (namespace: string, kind: "user" | "group", id: string, by: By = {}) =>
      slipway.call("DELETE", at(`role-bindings/${kind}/${id}`, namespace), by),
    bindings: (namespace: string, more = "") =>
      slipway.call<
        {
          binding_type: string;
          user_info?: { uid: string; account: string; username: string; identity_type: string };
          group_info?: { group_id: string; name: string; user_infos: { account: string }[] };
          roles: string[];
        }[]
      >("GET", at("role-bindings", namespace) + more),
    /** 200 when the person may read services of the project, 403 otherwise. */
    mayRead: async (project: string, { token }: Person): Promise<number> =>
      (await slipway.call("GET", `/openapi/service/yaml/services?projectKey=${project}`, { token })).status,
  };
}
