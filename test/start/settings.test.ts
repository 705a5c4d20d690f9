import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Sandbox, startSandbox } from "../../infra/local/cluster/start.ts";
import { readSettings } from "../../infra/local/settings.ts";
import { type StartedTable, startTable, tableFile } from "../../infra/local/table/startTable.ts";
import { appendOperation } from "../../shared/access/audit/store/append.ts";
import { newToken } from "../../shared/access/identity/session/tokenText.ts";
import { nowSeconds } from "../../shared/base/store/ids.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { environmentBody, localClusterId } from "../harness/boutique.ts";
import { type IdentityProvider, startIdentityProvider } from "../harness/identityProvider.ts";
import { deploymentYaml, roleYaml } from "../harness/manifests.ts";
import { someOperation } from "../harness/operations.ts";
import { chartFiles, packedChart } from "../harness/packedChart.ts";
import { type Program, refusedStart, startProgram } from "../harness/program.ts";
import { rawItems } from "../harness/rawItems.ts";
import { waitFor } from "../harness/waitFor.ts";
import { readRepositoryFile } from "../structure/sourceFiles.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), "slipway-settings-"));
const token = "administrator-token-of-the-settings-1";
const password = "Passw0rd-of-settings";
/** Where it is another day now than in UTC. */
const zoneOfAnotherDay = new Date().getUTCHours() < 12 ? "Etc/GMT+12" : "Etc/GMT-14";
let settings: Record<string, string>;
let program: Program;
let withBootstrapSecret: Program;
let started: StartedTable;
let cluster: Sandbox;
let provider: IdentityProvider;
/** Job objects that a build of the program made, as JSON text. */
let job = "";

beforeAll(async () => {
  // What the program finds: a table of another engine with an old record in it, a cluster whose pods never get ready.
  mkdirSync(join(folder, "data"), { mode: 0o700 });
  started = await startTable({ dataDir: join(folder, "data"), tableName: "slipway" });
  await appendOperation({ ...someOperation, detail: "a record of last week", createdAt: nowSeconds() - 7 * 86_400 });
  cluster = await startSandbox({ dataDir: join(folder, "cluster"), podDelayMilliseconds: 3_600_000 });
  provider = await startIdentityProvider();
  settings = {
    SLIPWAY_PORT: String(await freePort()),
    SLIPWAY_REGISTRY_PORT: String(await freePort()),
    SLIPWAY_DATA_DIR: join(folder, "data"),
    KUBECONFIG: cluster.kubeconfigPath,
    SLIPWAY_ADMIN_TOKEN: token,
    SLIPWAY_ADMIN_PASSWORD: password,
    SLIPWAY_METRICS_TOKEN: "scrape-token-of-the-settings-0001",
    SLIPWAY_OIDC_ISSUER: provider.issuer,
    SLIPWAY_OIDC_CLIENT_ID: "slipway",
    SLIPWAY_OIDC_CLIENT_SECRET: "secret-of-the-client",
    SLIPWAY_OIDC_REDIRECT_URI: "https://slipway.example.com/api/v1/sso/callback",
    SLIPWAY_OIDC_SCOPES: "openid groups",
    SLIPWAY_OIDC_GROUPS_CLAIM: "teams",
    SLIPWAY_CONSOLE_ADDRESS: "https://console.example.com/",
    SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8",
    SLIPWAY_CLUSTER_SCOPED_KINDS: "StorageClass",
    SLIPWAY_READY_SECONDS: "1",
    SLIPWAY_DECISION_SECONDS: "1",
    SLIPWAY_JOBS_NAMESPACE: "builds",
    SLIPWAY_IMAGE_GIT: "registry.example.com/git:1",
    SLIPWAY_IMAGE_BUILDKIT: "registry.example.com/buildkit:1-rootless",
    SLIPWAY_BUILDKIT_MODE: "rootless",
    SLIPWAY_IMAGE_TOOLS: "registry.example.com/tools:1",
    SLIPWAY_OPERATION_LOG_DAYS: "1",
    SLIPWAY_TIME_ZONE: zoneOfAnotherDay,
    SLIPWAY_REFERENCE_SHAPES: "true",
    SLIPWAY_LOG_FILE: join(folder, "elsewhere.ndjson"),
    SLIPWAY_HELM: join(folder, "another-helm"),
  };
  writeFileSync(settings.SLIPWAY_HELM ?? "", "#!/bin/sh\necho 'Error: another Helm refuses this' >&2\nexit 1\n", {
    mode: 0o700,
  });
  program = await startProgram(settings);
  await makeProject();
  job = await jobOfABuild();
});

afterAll(async () => {
  await program?.end("SIGTERM");
  await withBootstrapSecret?.end("SIGTERM");
  await provider?.close();
  await cluster?.close();
  started?.close();
  rmSync(folder, { recursive: true, force: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await program.call<T>(method, path, { token, ...(body !== undefined && { body }) });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
}

async function makeProject(): Promise<void> {
  await call("POST", "/openapi/projects/project", { project_name: "Shop", project_key: "shop", project_type: "yaml" });
  const web = { service_name: "web", yaml: deploymentYaml("web", "web:1") };
  await call("POST", "/openapi/service/yaml/raw?projectKey=shop", web);
}

/** Starts a build that clones and makes an image; what its Job holds is decided before anything of it runs. */
async function jobOfABuild(): Promise<string> {
  const host = { type: "gitlab", address: "http://127.0.0.1:1", auth_type: "token", access_token: "a-token" };
  await call("POST", "/api/aslan/system/codehosts", { ...host, alias: "git" });
  await call("POST", "/api/aslan/system/basicImages", { label: "os", value: "os:1", image_from: "custom" });
  await call("POST", "/openapi/build", {
    ...{ name: "web", project_key: "shop", infrastructure: "kubernetes", build_os: "os", installs: [] },
    repo_info: [{ codehost_name: "git", repo_namespace: "team", repo_name: "web", branch: "main" }],
    ...{ script_type: "shell", build_script: "make" },
    services: [{ service_name: "web", service_module: "main" }],
    docker_build_step: {
      ...{ build_context_dir: ".", dockerfile_source: "local", dockerfile_directory: "Dockerfile" },
    },
  });
  const build = {
    ...{ source: "runtime", docker_registry_id: "0123456789abcdef12345679" },
    service_and_builds_options: [{ service_name: "web", service_module: "main", build_name: "web", image_name: "web" }],
  };
  await call("POST", "/openapi/workflows/custom", {
    ...{ name: "ship", project: "shop" },
    stages: [{ name: "make", jobs: [{ name: "build", type: "zadig-build", spec: build }] }],
  });
  await call("POST", "/openapi/workflows/custom/task", {
    ...{ workflow_key: "ship", project_key: "shop" },
    inputs: [
      {
        ...{ job_name: "build", job_type: "zadig-build" },
        parameters: { service_list: [{ service_name: "web", service_module: "main" }] },
      },
    ],
  });
  const client = connect({ kind: "kubeconfig", text: cluster.kubeconfig, trusted: true });
  try {
    return await waitFor("the Job of the build", async () => {
      const { items } = await client.list({ apiVersion: "batch/v1", kind: "Job" });
      return items.length > 0 && JSON.stringify(items);
    });
  } finally {
    client.close();
  }
}

interface SignOn {
  status: number;
  url: URL;
  groups: string[];
}

/** Signs somebody in at the provider, who says that they are in the group `makers`. */
async function signOn(): Promise<SignOn> {
  provider.claims.set("ada", { preferred_username: "ada", name: "Ada", teams: ["makers"], groups: ["takers"] });
  const begun = await program.call<{ authorization_url: string }>("GET", "/api/v1/sso/login", { token: null });
  const url = new URL(begun.json.authorization_url);
  const search = await provider.signIn(url.href, "ada");
  const cookie = (begun.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const ended = await program.call<{ group_ids: string[] }>("GET", `/api/v1/sso/callback${search}`, {
    token: null,
    headers: { cookie },
  });
  return { status: ended.status, url, groups: ended.json.group_ids };
}

/** What each setting of the table of settings does to a program that was started with it. */
const effects: Readonly<Record<string, () => Promise<void>>> = {
  SLIPWAY_PORT: async () => {
    expect(program.url).toBe(`http://127.0.0.1:${settings.SLIPWAY_PORT}`);
  },
  SLIPWAY_REGISTRY_PORT: async () => {
    const answer = await fetch(`http://127.0.0.1:${settings.SLIPWAY_REGISTRY_PORT}/v2/`);
    expect(answer.headers.get("docker-distribution-api-version")).toBe("registry/2.0");
  },
  SLIPWAY_DATA_DIR: async () => {
    expect(program.printed("Data folder")).toBe(settings.SLIPWAY_DATA_DIR);
    expect(readFileSync(join(folder, "data", "format"), "utf8")).toMatch(/^\d+\n$/);
  },
  KUBECONFIG: async () => {
    expect(program.printed("Cluster")).toBe(cluster.url);
  },
  SLIPWAY_ADMIN_TOKEN: async () => {
    expect((await program.call("GET", "/openapi/users", { token })).status).toBe(200);
  },
  SLIPWAY_ADMIN_PASSWORD: async () => {
    const session = await call("POST", "/api/v1/login", { account: "admin", password });
    expect(session.token).toMatch(/^sls_/);
  },
  SLIPWAY_METRICS_TOKEN: async () => {
    expect((await program.call("GET", "/metrics", { token: "scrape-token-of-the-settings-0001" })).status).toBe(200);
  },
  SLIPWAY_BOOTSTRAP_SECRET: async () => {
    const secret = "secret-of-the-first-user";
    withBootstrapSecret = await startProgram({
      SLIPWAY_DATA_DIR: join(folder, "bootstrap"),
      SLIPWAY_BOOTSTRAP_SECRET: secret,
    });
    const body = { username: "root", password, company: "Example", email: "root@example.com" };
    const make = async (header: string) => {
      const headers = { "X-Bootstrap-Secret": header };
      const path = "/api/aslan/system/initialization/user";
      return (await withBootstrapSecret.call("POST", path, { token: null, body, headers })).status;
    };
    expect([await make("another-secret"), await make(secret), await make(secret)]).toEqual([403, 200, 403]);
  },
  SLIPWAY_OIDC_ISSUER: async () => {
    expect((await signOn()).url.origin).toBe(provider.issuer);
  },
  SLIPWAY_OIDC_CLIENT_ID: async () => {
    expect((await signOn()).url.searchParams.get("client_id")).toBe("slipway");
  },
  SLIPWAY_OIDC_REDIRECT_URI: async () => {
    expect((await signOn()).url.searchParams.get("redirect_uri")).toBe(settings.SLIPWAY_OIDC_REDIRECT_URI);
  },
  // The provider exchanges no code without it.
  SLIPWAY_OIDC_CLIENT_SECRET: async () => {
    expect((await signOn()).status).toBe(200);
  },
  SLIPWAY_OIDC_SCOPES: async () => {
    expect((await signOn()).url.searchParams.get("scope")).toBe("openid groups");
  },
  SLIPWAY_OIDC_GROUPS_CLAIM: async () => {
    const makers = await call<{ group_id: string }>("POST", "/api/v1/user-group", { name: "makers" });
    await call("POST", "/api/v1/user-group", { name: "takers" });
    expect((await signOn()).groups).toEqual([makers.group_id]);
  },
  SLIPWAY_CONSOLE_ADDRESS: async () => {
    expect(job).toContain("https://console.example.com/v1/projects/detail/shop/pipelines/custom/ship/1?");
  },
  SLIPWAY_OUTBOUND_ALLOW: async () => {
    expect(program.printed("Outbound addresses")).toBe("public");
    const answer = await program.call("POST", "/openapi/system/cluster", {
      token,
      body: { name: "far", type: "kubeconfig", provider: 0, kube_config: kubeconfigTo("https://10.0.0.1") },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("SLIPWAY_OUTBOUND_ALLOW")]);
  },
  SLIPWAY_CLUSTER_SCOPED_KINDS: async () => {
    const body = { service_name: "rights", yaml: roleYaml("rights").replace("kind: Role", "kind: ClusterRole") };
    const answer = await program.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { token, body });
    expect(answer.text).toContain("allowed are StorageClass");
  },
  SLIPWAY_READY_SECONDS: async () => {
    const body = { ...environmentBody("dev", "shop-dev"), services: [{ service_name: "web" }] };
    await call("POST", "/openapi/environments?projectKey=shop", body);
    await waitFor("the environment to be given up", async () => {
      const { stored_status } = await call("GET", "/openapi/environments/dev?projectKey=shop");
      return stored_status === "failed";
    });
  },
  SLIPWAY_DECISION_SECONDS: async () => {
    const error_policy = { policy: "manual_check", approval_users: [] };
    await call("POST", "/openapi/workflows/custom", {
      ...{ name: "undecided", project: "shop" },
      stages: [
        {
          name: "one",
          jobs: [
            { name: "ticket", type: "freestyle", spec: { script: "true", script_type: "powershell" }, error_policy },
          ],
        },
      ],
    });
    await call("POST", "/openapi/workflows/custom/task", {
      ...{ workflow_key: "undecided", project_key: "shop", inputs: [{ job_name: "ticket", job_type: "freestyle" }] },
    });
    await waitFor("the task to end without a decision", async () => {
      const task = await call("GET", "/openapi/workflows/custom/task?workflowKey=undecided&taskId=1");
      return task.status === "failed";
    });
  },
  SLIPWAY_JOBS_NAMESPACE: async () => {
    expect(job).toContain('"namespace":"builds-');
  },
  SLIPWAY_IMAGE_GIT: async () => {
    expect(job).toContain('"image":"registry.example.com/git:1"');
  },
  SLIPWAY_IMAGE_BUILDKIT: async () => {
    expect(job).toContain('"image":"registry.example.com/buildkit:1-rootless"');
  },
  SLIPWAY_BUILDKIT_MODE: async () => {
    expect(job).toContain("--oci-worker-no-process-sandbox");
    expect(job).not.toContain('"privileged":true');
  },
  SLIPWAY_HELM: async () => {
    await call("POST", "/api/aslan/template/charts", { name: "web", source: "upload" });
    const content = (await packedChart(chartFiles("1.0.0"))).toString("base64");
    const body = { content };
    await call("POST", "/api/aslan/template/charts/web/upload", body);
    await call("POST", "/openapi/projects/project", {
      ...{ project_name: "Charts", project_key: "charts", project_type: "helm" },
    });
    const service = { service_name: "web", template_name: "web", values_yaml: "" };
    const path = "/openapi/service/template/load/helm?projectKey=charts";
    const { status, text } = await program.call("POST", path, { token, body: service });
    expect([status, text]).toEqual([400, expect.stringContaining("another Helm refuses this")]);
  },
  SLIPWAY_IMAGE_TOOLS: async () => {
    expect(job).toContain('"image":"registry.example.com/tools:1"');
  },
  SLIPWAY_OPERATION_LOG_DAYS: async () => {
    const path = "/openapi/system/operation?searchType=all&perPage=100&page=1";
    await waitFor("the old record to be removed", async () => {
      const { operation_logs } = await call<{ operation_logs: { detail: string }[] }>("GET", path);
      return !operation_logs.some(({ detail }) => detail === "a record of last week");
    });
  },
  SLIPWAY_TIME_ZONE: async () => {
    // A deployment that fails counts as well.
    const targets = [{ target: "Deployment/missing/main", image: "web:1" }];
    const nowhere = { namespace: "nowhere", cluster_id: localClusterId, source: "fixed", targets };
    await call("POST", "/openapi/workflows/custom", {
      ...{ name: "dated", project: "shop" },
      stages: [{ name: "one", jobs: [{ name: "ship", type: "custom-deploy", spec: nowhere }] }],
    });
    const utc = new Date().toISOString().slice(0, 10);
    await call("POST", "/openapi/workflows/custom/task", {
      ...{ workflow_key: "dated", project_key: "shop", inputs: [{ job_name: "ship", job_type: "custom-deploy" }] },
    });
    await waitFor("the job to be counted", async () => {
      const { data } = await call<{ data: { date: string }[] }>("GET", "/openapi/statistics/deploy");
      return data.length > 0 && data.every(({ date }) => date !== utc);
    });
  },
  SLIPWAY_REFERENCE_SHAPES: async () => {
    expect(await call("GET", "/openapi/service/yaml/services?projectKey=shop")).toBeInstanceOf(Array);
  },
  SLIPWAY_DYNAMODB_ENDPOINT: async () => {
    // Not set here, so the table is the file in the data folder; the tutorials run with it set, on DynamoDB Local.
    expect((await rawItems.all()).map(({ type }) => type)).toContain("workflow");
    expect(existsSync(tableFile(join(folder, "data")))).toBe(true);
  },
  SLIPWAY_LOG_FILE: async () => {
    expect(readFileSync(settings.SLIPWAY_LOG_FILE ?? "", "utf8")).toContain('"service":"slipway"');
  },
};

function kubeconfigTo(server: string): string {
  return JSON.stringify({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "one" },
    clusters: [{ name: "one", cluster: { server } }],
    users: [{ name: "one", user: { token: "a-token" } }],
    contexts: [{ name: "one", context: { cluster: "one", user: "one" } }],
  });
}

describe("npm start heeds", () => {
  test.each(Object.entries(effects))("%s", async (_, effect) => {
    await effect();
  });

  test("every setting of the table of settings, which are all that are tested here", () => {
    const [, table = ""] =
      /\n\| Variable \| Default \| Meaning \|\n([\s\S]*?)\n\n/.exec(readRepositoryFile("docs/settings.md")) ?? [];
    const rows = table
      .split("\n")
      .slice(1)
      .map((row) => row.split("|")[1] ?? "");
    const named = rows.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name));
    expect(named.sort()).toEqual(Object.keys(effects).sort());
  });
});

describe("npm start refuses", () => {
  test("settings of the functions that cannot be used, each by its name", async () => {
    const { code, errors } = await refusedStart({
      SLIPWAY_DATA_DIR: join(folder, "refused"),
      SLIPWAY_ADMIN_TOKEN: `slw_${"a".repeat(46)}`,
      SLIPWAY_CONSOLE_ADDRESS: "console.example.com",
      SLIPWAY_READY_SECONDS: "soon",
      SLIPWAY_JOBS_NAMESPACE: "Builds",
      SLIPWAY_IMAGE_GIT: "",
      SLIPWAY_BUILDKIT_MODE: "root",
      SLIPWAY_OPERATION_LOG_DAYS: "-1",
      SLIPWAY_TIME_ZONE: "Middle/Earth",
      SLIPWAY_REFERENCE_SHAPES: "perhaps",
      SLIPWAY_DYNAMODB_ENDPOINT: "localhost:8000",
    });
    expect(code).toBe(1);
    const problems = errors
      .replace(/^slipway: settings cannot be used: /, "")
      .trim()
      .split("; ")
      .sort();
    expect(problems).toEqual([
      expect.stringContaining("SLIPWAY_ADMIN_TOKEN begins like a token of Slipway (slw_ or sls_)"),
      "SLIPWAY_BUILDKIT_MODE must be privileged or rootless",
      "SLIPWAY_CONSOLE_ADDRESS must be an address such as https://slipway.example.com",
      "SLIPWAY_DYNAMODB_ENDPOINT must be an address such as http://127.0.0.1:8000",
      "SLIPWAY_IMAGE_GIT must be the name of an image, without white space",
      "SLIPWAY_JOBS_NAMESPACE must be the beginning of names of namespaces: 1 to 40 of a-z 0-9 -",
      "SLIPWAY_OPERATION_LOG_DAYS must be a whole number of days, 0 or more",
      "SLIPWAY_READY_SECONDS must be a whole number of seconds, 1 or more",
      "SLIPWAY_REFERENCE_SHAPES must be true or false",
      "SLIPWAY_TIME_ZONE must be an IANA time zone such as Europe/Berlin, Asia/Shanghai or UTC",
    ]);
  });

  test.each([
    [
      "a log that cannot be written",
      { SLIPWAY_LOG_FILE: "/proc/slipway.log" },
      "SLIPWAY_LOG_FILE /proc/slipway.log cannot be written",
    ],
    [
      "an engine that is not there",
      { SLIPWAY_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" },
      "no DynamoDB answers at http://127.0.0.1:1",
    ],
  ])("%s", async (_, wrong: Record<string, string>, message) => {
    const { code, output, errors } = await refusedStart({ SLIPWAY_DATA_DIR: join(folder, "refused"), ...wrong });
    expect({ code, output }).toEqual({ code: 1, output: "" });
    expect(errors).toMatch(/^slipway: [^\n]+\n$/);
    expect(errors).toContain(message);
  });

  test.each<[string, Record<string, string>, string]>([
    [
      "a part of an identity provider",
      { SLIPWAY_OIDC_ISSUER: "https://id.example.com", SLIPWAY_OIDC_CLIENT_ID: "slipway" },
      "SLIPWAY_OIDC_REDIRECT_URI is required beside the other settings of the identity provider",
    ],
    [
      "an address to come back to that is not Slipway's",
      {
        SLIPWAY_OIDC_ISSUER: "https://id.example.com",
        SLIPWAY_OIDC_CLIENT_ID: "slipway",
        SLIPWAY_OIDC_REDIRECT_URI: "https://slipway.example.com/callback",
      },
      "SLIPWAY_OIDC_REDIRECT_URI must end in /console/signed-on or /api/v1/sso/callback",
    ],
    ["scopes without openid", { SLIPWAY_OIDC_SCOPES: "profile" }, "SLIPWAY_OIDC_SCOPES must name the scope openid"],
    [
      "a wrong list of addresses",
      { SLIPWAY_OUTBOUND_ALLOW: "10.0.0.0/33" },
      'SLIPWAY_OUTBOUND_ALLOW must be a comma list of CIDR ranges such as 10.0.0.0/8, IP addresses and host names: "10.0.0.0/33" is none of them',
    ],
    [
      "a wrong list of kinds",
      { SLIPWAY_CLUSTER_SCOPED_KINDS: "storage class" },
      "SLIPWAY_CLUSTER_SCOPED_KINDS must be a comma list of kinds such as ClusterRole,StorageClass",
    ],
  ])("%s", (_, settings, message) => {
    expect(() => readSettings(settings)).toThrow(message);
  });

  test("no administrator's token that is a whole one, or begins otherwise", () => {
    const taken = (text: string) => () => readSettings({ SLIPWAY_ADMIN_TOKEN: text });
    expect(taken(newToken("api"))).not.toThrow();
    expect(taken(`SLW_${"a".repeat(46)}`)).not.toThrow();
    expect(taken(`${newToken("login").slice(0, -1)}-`)).toThrow("SLIPWAY_ADMIN_TOKEN begins like a token");
    expect(taken(`slw_${"a".repeat(40)}`)).toThrow("SLIPWAY_ADMIN_TOKEN begins like a token");
  });
});
