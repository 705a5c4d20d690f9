import { codeOf } from "../harness/secondFactor.ts";
import type { Call } from "./walk.ts";

/** Users, groups, tokens and what a console asks about them. */
export async function walkPeople(call: Call, ownUid: string, password: string): Promise<void> {
  const own = { params: { uid: ownUid } };
  const grace = { name: "Grace", account: "grace", password, email: "grace@example.com" };
  const { uid } = await call<{ uid: string }>("POST /api/v1/users", { body: grace });
  const hers = { params: { uid } };
  await call("GET /openapi/users");
  await call("GET /openapi/users/{uid}", hers);
  await call("PUT /api/v1/users/{uid}", { ...hers, body: { phone: "123", api_token_enabled: true } });
  await call("PUT /api/v1/users/{uid}/personal", { ...own, body: { email: "root@example.com" } });
  const passwords = { oldPassword: password, newPassword: password };
  await call("PUT /api/v1/users/{uid}/password", { ...own, body: passwords });
  await call("POST /api/v1/users/search", { body: { name: "Grace" } });
  await call("POST /api/v1/users/brief", { body: { uids: [uid] } });
  await call("GET /api/v1/users/count");
  await call("GET /api/v1/users/check/duplicate", { query: { username: "linus" } });
  await walkGroups(call, uid);
  await call("GET /api/v1/users/{uid}", hers);
  await walkSessions(call, ownUid);
  await walkSecondFactor(call, ownUid, password);
  await call("DELETE /openapi/users/{uid}/mfa", hers);
  await walkTokens(call, ownUid);
  await call("GET /api/v1/policy/permission");
  await call("GET /api/v1/policy/permission/project/{name}", { params: { name: "walk" } });
  await call("POST /api/aslan/system/security", { body: { token_expiration_time: 12, improvement_plan: false } });
  await call("GET /api/aslan/system/security");
  const concurrency = { workflow_concurrency: 40, build_concurrency: 8 };
  await call("POST /api/aslan/system/concurrency/workflow", { body: concurrency });
  await call("GET /api/aslan/system/concurrency/workflow");
  const prices = await call<object>("GET /api/aslan/system/prices");
  await call("POST /api/aslan/system/prices", { body: { ...prices, currency: "EUR" } });
  await call("DELETE /openapi/users/{uid}", hers);
  await call("DELETE /api/v1/users/{uid}", hers);
}

async function walkGroups(call: Call, uid: string): Promise<void> {
  const path = "/api/v1/user-group";
  const wanted = { name: "developers", description: "those who write it", uids: [uid] };
  const { group_id } = await call<{ group_id: string }>(`POST ${path}`, { body: wanted });
  const { group_id: other } = await call<{ group_id: string }>(`POST ${path}`, { body: { name: "readers" } });
  const group = { params: { id: group_id } };
  await call(`PUT ${path}/{id}`, { ...group, body: { name: "engineers" } });
  await call(`POST ${path}/{id}/bulk-delete-users`, { ...group, body: { uids: [uid] } });
  await call(`POST ${path}/{id}/bulk-create-users`, { ...group, body: { uids: [uid] } });
  await call(`GET ${path}/{id}`, group);
  await call("GET /openapi/user-groups");
  await call(`GET ${path}`);
  await call(`DELETE ${path}/{id}`, { params: { id: other } });
}

async function walkSessions(call: Call, uid: string): Promise<void> {
  const path = "/openapi/users/{uid}/sessions";
  await call(`GET ${path}`, { params: { uid } });
  await call(`DELETE ${path}/{sessionId}`, { params: { uid, sessionId: "0".repeat(24) } });
}

async function walkSecondFactor(call: Call, uid: string, password: string): Promise<void> {
  const path = "/openapi/users/{uid}/mfa";
  const own = { params: { uid } };
  const { secret } = await call<{ secret: string }>(`POST ${path}`, { ...own, body: { password } });
  await call(`POST ${path}/confirm`, { ...own, body: { mfa_code: codeOf(secret) } });
  await call(`GET ${path}`, own);
  await call(`POST ${path}/recovery-codes`, { ...own, body: { mfa_code: codeOf(secret, 1) } });
  await call(`POST ${path}/disable`, { ...own, body: { password } });
}

async function walkTokens(call: Call, uid: string): Promise<void> {
  const path = "/openapi/users/{uid}/tokens";
  const wanted = { name: "pipeline", scope: "read", projects: ["walk"], expires_at: 4_000_000_000 };
  const { id } = await call<{ id: string }>(`POST ${path}`, { params: { uid }, body: wanted });
  await call(`GET ${path}`, { params: { uid } });
  await call(`POST ${path}/{tokenId}/rotate`, { params: { uid, tokenId: id } });
  await call(`DELETE ${path}/{tokenId}`, { params: { uid, tokenId: id } });
}
