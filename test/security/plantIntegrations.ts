import type { Canaries } from "./canaries.ts";

export interface Doors {
  canaries: Canaries;
  ok<T>(method: string, path: string, body?: unknown): Promise<T>;
  refused(method: string, path: string, body: unknown): Promise<void>;
}

/** Where `plantIntegrations` plants something. */
export const plantedIntegrations = [
  "POST /api/aslan/system/codehosts access_token",
  "POST /api/aslan/system/codehosts password",
  "POST /api/aslan/system/codehosts ssh_key",
  "POST /api/aslan/system/codehosts webhook_secret",
  "PUT /api/aslan/system/codehosts/{id} webhook_secret",
  "PUT /api/aslan/system/codehosts/{id} access_token",
  "PUT /api/aslan/system/codehosts/{id} password",
  "PUT /api/aslan/system/codehosts/{id} ssh_key",
  "POST /api/aslan/system/sonar/integration token",
  "PUT /api/aslan/system/sonar/integration/{id} token",
  "POST /api/aslan/system/observability token",
  "PUT /api/aslan/system/observability/{id} token",
  "POST /api/aslan/system/cicdTools password",
  "PUT /api/aslan/system/cicdTools/{id} password",
  "POST /api/aslan/system/dbinstance password",
  "PUT /api/aslan/system/dbinstance/{id} password",
  "POST /api/aslan/system/configuration password",
  "PUT /api/aslan/system/configuration/{id} password",
  "POST /api/aslan/system/configuration token",
  "PUT /api/aslan/system/configuration/{id} token",
  "POST /api/aslan/system/project_management jira_token",
  "PUT /api/aslan/system/project_management/{id} jira_token",
  "POST /api/aslan/system/project_management jira_personal_access_token",
  "PUT /api/aslan/system/project_management/{id} jira_personal_access_token",
  "POST /api/aslan/system/helm password",
  "PUT /api/aslan/system/helm/{id} password",
  "POST /api/aslan/system/im-apps app_secret",
  "POST /api/aslan/system/im-apps encrypt_key",
  "POST /api/aslan/system/im-apps verification_token",
  "PUT /api/aslan/system/im-apps/{id} app_secret",
  "PUT /api/aslan/system/im-apps/{id} encrypt_key",
  "PUT /api/aslan/system/im-apps/{id} verification_token",
  "POST /api/aslan/system/email/host password",
  "PUT /api/aslan/system/email/host password",
  "POST /api/aslan/system/webhook/workflow secret",
  "PUT /api/aslan/release_plan/v1/hook/setting hook_secret",
  "PUT /openapi/release_plan/v1/hook/setting hook_secret",
];

/** Secrets of the records that jobs refer to: added, changed and refused. */
export async function plantIntegrations(doors: Doors): Promise<void> {
  await plantCodeHosts(doors);
  await plantSonarServers(doors);
  await plantMetricServers(doors);
  await plantOutsideSystems(doors);
  await plantChartRepositories(doors);
  await plantNotificationSettings(doors);
}

async function plantNotificationSettings({ canaries, ok, refused }: Doors): Promise<void> {
  const path = "/api/aslan/system/im-apps";
  const app = (of: string) => ({
    ...{ type: "feishu", app_id: "cli_1", app_secret: canaries.plant(`the secret of ${of}`) },
    encrypt_key: canaries.plant(`the encrypt key of ${of}`),
    verification_token: canaries.plant(`the verification token of ${of}`),
  });
  const { id } = await ok<{ id: string }>("POST", path, app("a chat app"));
  await ok("PUT", `${path}/${id}`, app("a changed chat app"));
  await ok("GET", `${path}/${id}`);
  await ok("GET", path);
  await refused("POST", path, app("a chat app that is there"));
  const mail = "/api/aslan/system/email/host";
  const host = (of: string) => ({
    ...{ name: "smtp.example.com", port: 465, username: "ci", from: "ci@example.com" },
    password: canaries.plant(`the password of ${of}`),
  });
  await refused("PUT", mail, host("a mail host that is not there"));
  await ok("POST", mail, host("a mail host"));
  await ok("PUT", mail, host("a changed mail host"));
  await ok("GET", mail);
  await refused("POST", mail, { ...host("a refused mail host"), port: 0 });
  const hook = "/api/aslan/system/webhook/workflow";
  const secret = (of: string) => ({ secret: canaries.plant(`the secret of ${of}`) });
  await ok("POST", hook, { enabled: false, address: "https://hooks.example.com", ...secret("a system hook") });
  await ok("GET", hook);
  await refused("POST", hook, { enabled: true, ...secret("a refused system hook") });
  const gate = "/openapi/release_plan/v1/hook/setting";
  const consoleGate = "/api/aslan/release_plan/v1/hook/setting";
  const planHook = (of: string) => ({
    ...{ enable: true, hook_address: "https://gate.example.com", hook_events: ["all_job_done"] },
    hook_secret: canaries.plant(`the secret of ${of}`),
  });
  await ok("PUT", consoleGate, { ...planHook("the hook of release plans"), enable: false });
  await ok("PUT", gate, { ...planHook("a changed hook of release plans"), enable: false });
  await ok("GET", gate);
  await refused("PUT", gate, { ...planHook("a refused hook of release plans"), hook_events: [] });
}

async function plantChartRepositories({ canaries, ok, refused }: Doors): Promise<void> {
  const path = "/api/aslan/system/helm";
  const repository = (of: string) => ({
    ...{ repo_name: "charts", url: "http://127.0.0.1:1/charts", type: "http", username: "robot" },
    password: canaries.plant(`the password of ${of}`),
  });
  const { id } = await ok<{ id: string }>("POST", path, repository("a chart repository"));
  await ok("PUT", `${path}/${id}`, repository("a changed chart repository"));
  await ok("GET", `${path}/${id}`);
  await ok("GET", path);
  await refused("POST", `${path}/${id}/test`, undefined);
  await refused("POST", path, repository("a chart repository of a taken name"));
  await refused("PUT", `${path}/${"f".repeat(24)}`, repository("a chart repository that is not there"));
}

async function plantSonarServers({ canaries, ok, refused }: Doors): Promise<void> {
  const path = "/api/aslan/system/sonar/integration";
  const server = (of: string) => ({
    system_identity: "sonar",
    server_address: "https://sonar.example.com",
    token: canaries.plant(`the token of ${of}`),
  });
  const { id } = await ok<{ id: string }>("POST", path, server("a SonarQube server"));
  await ok("PUT", `${path}/${id}`, server("a changed SonarQube server"));
  await ok("GET", `${path}/${id}`);
  await ok("GET", path);
  await refused("POST", path, server("a SonarQube server of a taken name"));
  await refused("PUT", `${path}/${"f".repeat(24)}`, server("a SonarQube server that is not there"));
}

async function plantMetricServers({ canaries, ok, refused }: Doors): Promise<void> {
  const path = "/api/aslan/system/observability";
  const server = (of: string) => ({
    ...{ name: "metrics", type: "prometheus", address: "https://metrics.example.com" },
    token: canaries.plant(`the token of ${of}`),
  });
  const { id } = await ok<{ id: string }>("POST", path, server("a metric server"));
  await ok("PUT", `${path}/${id}`, server("a changed metric server"));
  await ok("GET", `${path}/${id}`);
  await ok("GET", path);
  await refused("POST", path, server("a metric server of a taken name"));
  await refused("PUT", `${path}/${"f".repeat(24)}`, server("a metric server that is not there"));
}

/** Systems that jobs work with; a record is made by its secret. */
async function plantOutsideSystems({ canaries, ok, refused }: Doors): Promise<void> {
  const login = { name: "ci", username: "robot" };
  const nacos = { type: "nacos", system_identity: "nacos", server_address: "https://nacos.example.com" };
  const jira = { type: "jira", system_identity: "jira", jira_host: "https://jira.example.com" };
  const systems: readonly [path: string, of: string, body: (secret: string) => object][] = [
    [
      "/api/aslan/system/cicdTools",
      "Jenkins server",
      (password) => ({ ...login, type: "jenkins", url: "https://ci.example.com", password }),
    ],
    [
      "/api/aslan/system/dbinstance",
      "database",
      (password) => ({ ...login, type: "mysql", host: "db.example.com", port: "3306", projects: ["shop"], password }),
    ],
    [
      "/api/aslan/system/configuration",
      "Nacos",
      (password) => ({ ...nacos, auth_config: { user_name: "robot", password } }),
    ],
    [
      "/api/aslan/system/configuration",
      "Apollo",
      (token) => ({ ...nacos, type: "apollo", system_identity: "apollo", auth_config: { token } }),
    ],
    [
      "/api/aslan/system/project_management",
      "Jira with a token",
      (jira_token) => ({ ...jira, jira_user: "robot", jira_token }),
    ],
    [
      "/api/aslan/system/project_management",
      "Jira with a personal token",
      (jira_personal_access_token) => ({
        ...{ ...jira, system_identity: "personal", jira_auth_type: "personal_access_token" },
        jira_personal_access_token,
      }),
    ],
  ];
  for (const [path, of, body] of systems) {
    const record = (which: string) => body(canaries.plant(`the secret of ${which} ${of}`));
    const { id } = await ok<{ id: string }>("POST", path, record("a"));
    await ok("PUT", `${path}/${id}`, record("a changed"));
    await ok("GET", `${path}/${id}`);
    await ok("GET", path);
    await refused("POST", path, record("another of the same name as a"));
    await refused("PUT", `${path}/${"f".repeat(24)}`, record("an unknown"));
  }
}

async function plantCodeHosts({ canaries, ok, refused }: Doors): Promise<void> {
  const path = "/api/aslan/system/codehosts";
  const host = { type: "other", address: "https://git.example.com" };
  const pem = (text: string) => `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`;
  const ways: readonly [auth_type: string, field: string, written: (text: string) => string][] = [
    ["token", "access_token", (text) => text],
    ["password", "password", (text) => text],
    ["ssh", "ssh_key", pem],
  ];
  for (const [auth_type, field, written] of ways) {
    const secret = (of: string) => ({
      [field]: written(canaries.plant(`the ${field} of ${of}`)),
      webhook_secret: canaries.plant(`the webhook_secret by ${auth_type} of ${of}`),
    });
    const body = { ...host, alias: `by-${auth_type}`, auth_type, username: "robot" };
    const { id } = await ok<{ id: number }>("POST", path, { ...body, ...secret("a code host") });
    await ok("PUT", `${path}/${id}`, { ...body, ...secret("a changed code host") });
    await ok("GET", `${path}/${id}`);
    await refused("POST", path, { ...body, type: "none", ...secret("a refused code host") });
    await refused("POST", path, { ...body, auth_type: "none", ...secret("a code host without a way") });
    await refused("PUT", `${path}/999999`, { ...body, ...secret("a code host that is not there") });
  }
  await ok("GET", path);
}
