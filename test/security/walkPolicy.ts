import { allUsersGroupId } from "../../shared/access/identity/rules/actions.ts";
import type { Call } from "./walk.ts";

/** Roles of the project `walk` and who is bound to them, each call at least once. */
export async function walkPolicy(call: Call, uid: string): Promise<void> {
  const query = { namespace: "walk" };
  await call("GET /openapi/policy/resource-actions", { query: { projectName: "walk", envType: "k8s" } });
  await call("POST /openapi/policy/roles", {
    query,
    body: { name: "deployer", namespace: "walk", actions: ["get_environment", "config_environment"], desc: "deploys" },
  });
  const params = { name: "deployer" };
  await call("PUT /openapi/policy/roles/{name}", { params, query, body: { actions: ["get_environment"] } });
  await call("GET /openapi/policy/roles", { query });
  await call("GET /openapi/policy/roles", { query: { ...query, uid } });
  await call("GET /openapi/policy/roles/{name}", { params, query });
  const identities = [{ identity_type: "user", uid }];
  await call("POST /openapi/policy/role-bindings", { query, body: { role: "deployer", identities } });
  await call("GET /openapi/policy/role-bindings", { query });
  await call("GET /openapi/policy/role-bindings", { query: { ...query, uid } });
  const user = { params: { uid }, query };
  const group = { params: { gid: allUsersGroupId }, query };
  await call("POST /openapi/policy/role-bindings/user/{uid}", { ...user, body: { roles: ["read-only", "deployer"] } });
  await call("POST /openapi/policy/role-bindings/group/{gid}", { ...group, body: { roles: ["read-project-only"] } });
  await call("DELETE /openapi/policy/role-bindings/user/{uid}", user);
  await call("DELETE /openapi/policy/role-bindings/group/{gid}", group);
  await call("DELETE /openapi/policy/roles/{name}", { params, query });
}
