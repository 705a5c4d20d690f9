import type { Call } from "./walk.ts";

/** Records that jobs refer to, each endpoint at least once. */
export async function walkIntegrations(call: Call, secret: string): Promise<void> {
  await walkRecords(call, "/api/aslan/system/codehosts", {
    type: "gitea",
    address: "https://git.example.com",
    alias: "git",
    auth_type: "token",
    access_token: secret,
  });
  await walkRecords(call, "/api/aslan/system/basicImages", { label: "node 24", value: "node:24" });
  await walkRecords(call, "/api/aslan/system/sonar/integration", {
    system_identity: "sonar",
    server_address: "https://sonar.example.com",
    token: secret,
  });
  await walkRecords(call, "/api/aslan/system/observability", {
    ...{ name: "metrics", type: "prometheus", address: "https://metrics.example.com", token: secret },
  });
  await walkRecords(call, "/api/aslan/system/cicdTools", {
    ...{ type: "jenkins", name: "ci", url: "https://ci.example.com", username: "ci", password: secret },
  });
  await walkRecords(call, "/api/aslan/system/dbinstance", {
    ...{ name: "db", type: "mysql", projects: ["shop"], host: "db.example.com", port: 3306 },
    ...{ username: "ci", password: secret },
  });
  await walkRecords(call, "/api/aslan/system/configuration", {
    ...{ type: "apollo", system_identity: "apollo", server_address: "https://apollo.example.com" },
    auth_config: { token: secret },
  });
  await walkRecords(call, "/api/aslan/system/project_management", {
    ...{ type: "jira", system_identity: "jira", jira_host: "https://jira.example.com" },
    ...{ jira_user: "ci", jira_token: secret },
  });
  await walkRecords(call, "/api/aslan/system/helm", {
    ...{ repo_name: "charts", url: "https://charts.example.com", type: "http", username: "ci", password: secret },
  });
  await walkRecords(call, "/api/aslan/template/dockerfile", { name: "node", content: "FROM node:24\n" });
  await walkRecords(call, "/api/aslan/system/im-apps", { type: "feishu", app_id: "cli_1", app_secret: secret });
  const path = "/api/aslan/system/email/host";
  const host = { name: "smtp.example.com", port: 465, username: "ci", password: secret, from: "ci@example.com" };
  await call(`POST ${path}`, { body: host });
  await call(`GET ${path}`);
  await call(`PUT ${path}`, { body: { ...host, is_tls: true } });
  await call(`DELETE ${path}`);
  const hook = { enabled: true, address: "https://hooks.example.com/slipway", secret, events: ["start_execute"] };
  await call("POST /api/aslan/system/webhook/workflow", { body: hook });
  await call("GET /api/aslan/system/webhook/workflow");
  // Nobody is to be told of what the walk goes on to do.
  await call("POST /api/aslan/system/webhook/workflow", { body: { enabled: false } });
  await walkStrategies(call);
}

async function walkStrategies(call: Call): Promise<void> {
  const path = "/api/aslan/cluster/clusters/{id}/strategy";
  const params = { id: "0123456789abcdef12345678" };
  const body = { name: "arm", strategy: "required", node_labels: ["kubernetes.io/arch=arm64"] };
  const { id } = await call<{ id: string }>(`POST ${path}`, { params, body });
  await call(`GET ${path}`, { params });
  await call(`PUT ${path}`, { params, body: { ...body, strategy: "preferred" } });
  await call(`DELETE ${path}/{strategyId}`, { params: { ...params, strategyId: id } });
}

async function walkRecords(call: Call, path: string, body: Record<string, unknown>): Promise<void> {
  const { id } = await call<{ id: string | number }>(`POST ${path}`, { body });
  const params = { id: String(id) };
  await call(`GET ${path}`);
  await call(`GET ${path}/{id}`, { params });
  await call(`PUT ${path}/{id}`, { params, body });
  await call(`DELETE ${path}/{id}`, { params });
}
