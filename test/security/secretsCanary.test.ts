import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../shared/kube/client/connect.ts";
import { document } from "../contract/document.ts";
import { localClusterId } from "../harness/boutique.ts";
import { type RawItem, rawItems } from "../harness/rawItems.ts";
import { codeOf } from "../harness/secondFactor.ts";
import { type Answer, type CallOptions, type Slipway, startSlipway } from "../harness/slipway.ts";
import { startTestRegistry } from "../harness/testRegistry.ts";
import { waitFor } from "../harness/waitFor.ts";
import { Canaries } from "./canaries.ts";
import { plantBuilds, plantedBuilds } from "./plantBuilds.ts";
import { plantedIntegrations, plantIntegrations } from "./plantIntegrations.ts";
import { plantedTasks, plantOlderTasks, plantTasks } from "./plantTasks.ts";
import { plantedWorkflows, plantWorkflows } from "./plantWorkflows.ts";

const canaries = new Canaries();
const bootstrapSecret = canaries.plant("the bootstrap secret");
const project = "projectKey=shop";
let slipway: Slipway;
let token: string | null = null;
let items: RawItem[] = [];
let jobObjects = "";
const answers: { request: string; status: number; text: string }[] = [];

/** Body fields that hold a secret, each planted below. A new one fails the first test until something plants it. */
const planted = [
  "POST /api/aslan/system/initialization/user password",
  "POST /api/v1/login password",
  "POST /api/v1/users password",
  "PUT /api/v1/users/{uid}/password newPassword",
  "PUT /api/v1/users/{uid}/password oldPassword",
  "POST /openapi/users/{uid}/mfa password",
  "POST /openapi/users/{uid}/mfa/disable password",
  "POST /openapi/users/{uid}/mfa/recovery-codes password",
  "POST /openapi/system/cluster kube_config",
  "PUT /openapi/system/cluster/{id} kube_config",
  "POST /openapi/system/registry access_key",
  "POST /openapi/system/registry secret_key",
  "POST /api/aslan/system/registry/validate access_key",
  "POST /api/aslan/system/registry/validate secret_key",
  "PUT /openapi/system/registry/{id} access_key",
  "PUT /openapi/system/registry/{id} secret_key",
  ...plantedIntegrations,
  ...plantedBuilds,
  ...plantedWorkflows,
  ...plantedTasks,
];

/** Makes a call and keeps what it answered, unless the answer is where a new token is shown. */
async function call<T>(
  method: string,
  path: string,
  options: CallOptions = {},
  givesToken = false,
): Promise<Answer<T>> {
  const answer = await slipway.call<T>(method, path, { token, ...options });
  const headers = JSON.stringify([...answer.headers]);
  if (!givesToken) answers.push({ request: `${method} ${path}`, status: answer.status, text: answer.text + headers });
  return answer;
}

async function ok<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await call<T>(method, path, { body });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(200);
  return answer.json;
}

async function refused(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await call(method, path, { body });
  expect([400, 401, 403, 404, 422], `${method} ${path}: ${status} ${text}`).toContain(status);
}

async function signIn(account: string, password: string): Promise<{ token: string; uid: string }> {
  const options = { token: null, body: { account, password } };
  const answer = await call<{ token: string; uid: string }>("POST", "/api/v1/login", options, true);
  expect(answer.status).toBe(200);
  canaries.adopt(`the session of ${account}`, answer.json.token);
  return answer.json;
}

async function plantIdentity(): Promise<void> {
  const password = canaries.plant("the first user's password");
  const first = { username: "root", password, company: "Example", email: "root@example.com" };
  const initialize = "/api/aslan/system/initialization/user";
  const wrongSecret = { "x-bootstrap-secret": canaries.plant("a wrong bootstrap secret") };
  await call("POST", initialize, { token: null, headers: wrongSecret, body: first });
  const headers = { "x-bootstrap-secret": bootstrapSecret, "idempotency-key": "first" };
  expect((await call("POST", initialize, { token: null, headers, body: first })).status).toBe(200);
  for (const account of ["root", "nobody"])
    await call("POST", "/api/v1/login", {
      token: null,
      body: { account, password: canaries.plant(`a wrong password of ${account}`) },
    });
  const session = await signIn("root", password);
  token = session.token;
  const made = await call<{ token: string }>("POST", `/api/v1/users/${session.uid}/token`, {}, true);
  canaries.adopt("an API token", made.json.token);
  await call("GET", "/openapi/projects/project", { token: canaries.plant("a token that nobody has") });
  const inQuery = canaries.plant("a token in the query of a stream");
  await call("GET", `/openapi/logs/sse/pods/web/containers/web?${project}&envName=dev&token=${inQuery}`, {
    token: null,
  });
  token = made.json.token;
  await ok("POST", "/api/v1/users", { name: "Ada", account: "ada", password: canaries.plant("a user's password") });
  const other = canaries.plant("a wrong old password");
  const changed = canaries.plant("a new password");
  const own = `/api/v1/users/${session.uid}/password`;
  await refused("PUT", own, { oldPassword: other, newPassword: canaries.plant("a refused new password") });
  await ok("PUT", own, { oldPassword: password, newPassword: changed });
  const mfa = `/openapi/users/${session.uid}/mfa`;
  await refused("POST", mfa, { password: canaries.plant("a wrong password of an enrolment") });
  const begun = await call<{ secret: string }>("POST", mfa, { body: { password: changed } }, true);
  canaries.adopt("the secret of a second factor", begun.json.secret);
  const confirm = { body: { mfa_code: codeOf(begun.json.secret) } };
  const { json } = await call<{ recovery_codes: string[] }>("POST", `${mfa}/confirm`, confirm, true);
  for (const [at, code] of json.recovery_codes.entries()) canaries.adopt(`recovery code ${at}`, code);
  await refused("POST", `${mfa}/recovery-codes`, { password: canaries.plant("a wrong password for other codes") });
  await refused("POST", `${mfa}/disable`, { password: canaries.plant("a wrong password at the end") });
  await ok("POST", `${mfa}/disable`, { mfa_code: json.recovery_codes[0] });
  const tokens = `/openapi/users/${session.uid}/tokens`;
  const named = await call<{ id: string; token: string }>("POST", tokens, { body: { name: "ci" } }, true);
  canaries.adopt("a named token", named.json.token);
  const rotated = await call<{ token: string }>("POST", `${tokens}/${named.json.id}/rotate`, {}, true);
  canaries.adopt("a rotated token", rotated.json.token);
  await ok("GET", tokens);
  await ok("GET", "/openapi/users");
  await refused("POST", "/api/v1/users", { account: "", password: canaries.plant("a refused user's password") });
  const tooLong = canaries.plant("a password that is too long").repeat(50);
  await refused("POST", "/api/v1/users", { name: "Bob", account: "bob", password: tooLong });
  await refused("POST", "/api/v1/users", {
    name: "Bob",
    account: "bob",
    password: [canaries.plant("a listed password")],
  });
}

async function plantRegistries(): Promise<void> {
  const path = "/openapi/system/registry";
  const registry = { address: "https://registry.example.com", provider: "native", namespace: "team" };
  const keys = (of: string) => ({
    access_key: canaries.plant(`the access key of ${of}`),
    secret_key: canaries.plant(`the secret key of ${of}`),
  });
  await ok("POST", path, { ...registry, ...keys("a registry") });
  const list = await ok<{ registry_id: string; namespace: string }[]>("GET", path);
  const id = list.find(({ namespace }) => namespace === "team")?.registry_id ?? "";
  await ok("PUT", `${path}/${id}`, { ...registry, ...keys("a changed registry") });
  await refused("POST", path, { ...registry, provider: "none", ...keys("a refused registry") });
  const validate = "/api/aslan/system/registry/validate";
  const open = await startTestRegistry();
  await ok("POST", validate, {
    ...registry,
    address: `http://${open.address}`,
    ...keys("a registry that is tried"),
  });
  await open.close();
  const nowhere = { ...registry, address: "http://127.0.0.1:1" };
  await refused("POST", validate, { ...nowhere, ...keys("a registry that nobody reaches") });
  const address = `https://robot:${canaries.plant("a password in a registry's address")}@registry.example.com`;
  await refused("POST", path, { ...registry, address });
  await refused("PUT", `${path}/${"f".repeat(24)}`, { ...registry, ...keys("a registry that is not there") });
  await ok("GET", `${path}/${id}`);
}

function kubeconfig(server: string, user: object): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

async function plantClusters(): Promise<void> {
  const path = "/openapi/system/cluster";
  const own = load(readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8")) as { users: object[] };
  const withUser = (user: object) => JSON.stringify({ ...own, users: [...own.users, { name: "spare", user }] });
  const { cluster } = await ok<{ cluster: { cluster_id: string } }>("POST", path, {
    name: "second",
    type: "kubeconfig",
    kube_config: withUser({ token: canaries.plant("a cluster's token") }),
  });
  const changed = withUser({ username: "u", password: canaries.plant("a changed cluster's password") });
  await ok("PUT", `${path}/${cluster.cluster_id}`, { kube_config: changed });
  const users = {
    "exec plugin": (text: string) => ({ exec: { command: "login", env: [{ name: "TOKEN", value: text }] } }),
    "auth provider": (text: string) => ({ "auth-provider": { name: "oidc", config: { "id-token": text } } }),
    "address that nobody answers": (text: string) => ({ token: text }),
  };
  for (const [name, user] of Object.entries(users)) {
    const kube_config = kubeconfig("https://127.0.0.1:1", user(canaries.plant(`a cluster with ${name}`)));
    await call("POST", path, { body: { name, type: "kubeconfig", kube_config } });
  }
  const broken = `users: [{token: ${canaries.plant("a kubeconfig that is no YAML")}`;
  await refused("POST", path, { name: "broken", type: "kubeconfig", kube_config: broken });
  const withPassword = kubeconfig(`https://u:${canaries.plant("a password in a server's address")}@127.0.0.1:1`, {});
  await call("POST", path, { body: { name: "user", type: "kubeconfig", kube_config: withPassword } });
  await ok("GET", path);
}

const secretYaml = (name: string, text: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\nstringData: {key: ${text}}\ndata: {more: ${Buffer.from(text).toString("base64")}}\n`;

async function plantServices(): Promise<void> {
  await ok("POST", "/openapi/projects/project", { project_name: "shop", project_key: "shop", project_type: "yaml" });
  const path = "/openapi/service/yaml";
  const yaml = secretYaml("login", canaries.plant("a Secret in a service", "text"));
  await ok("POST", `${path}/raw?${project}`, { service_name: "login", yaml });
  const changed = secretYaml("login", canaries.plant("a Secret in a changed service", "text"));
  await ok("PUT", `${path}/login?${project}`, { type: "k8s", yaml: changed });
  const broken = `${secretYaml("x", canaries.plant("a Secret in a service that is no YAML"))}  - {`;
  await refused("POST", `${path}/raw?${project}`, { service_name: "broken", yaml: broken });
  const template = secretYaml("t", canaries.plant("a Secret in a template", "text"));
  await ok("POST", "/api/aslan/template/yaml", { name: "secret", content: template });
  const variable_yaml = `db:\n  password: ${canaries.plant("a password among variables", "text")}\n`;
  const plain = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {a: '{{.db.password}}'}\n";
  await call("POST", `${path}/raw?${project}`, { body: { service_name: "plain", yaml: plain, variable_yaml } });
}

async function plantEnvironment(): Promise<void> {
  const path = "/openapi/environments";
  const config = (name: string, text: string, type = "Secret") => ({
    name,
    common_env_cfg_type: type,
    yaml_data: secretYaml(name, text),
  });
  await ok("POST", `${path}?${project}`, {
    env_key: "dev",
    namespace: "canary-dev",
    cluster_id: localClusterId,
    registry_id: "0123456789abcdef12345679",
    services: [{ service_name: "login" }],
    env_configs: [config("first", canaries.plant("a Secret of a new environment", "answers"))],
  });
  await settled();
  await ok("POST", `${path}/dev/envcfgs?${project}`, config("second", canaries.plant("a Secret", "answers")));
  const changed = { ...config("second", canaries.plant("a changed Secret", "answers")), env_key: "dev" };
  await ok("PUT", `${path}/envcfgs?${project}`, changed);
  await call("PUT", `${path}/envcfgs?${project}&dryRun=true`, {
    body: { ...config("second", canaries.plant("a previewed Secret")), env_key: "dev" },
  });
  const wrongKind = config("third", canaries.plant("a Secret sent as a ConfigMap"), "ConfigMap");
  await refused("POST", `${path}/dev/envcfgs?${project}`, wrongKind);
  const broken = {
    ...wrongKind,
    yaml_data: `kind: Secret\nstringData: {a: ${canaries.plant("a Secret that is no YAML")}`,
  };
  await refused("POST", `${path}/dev/envcfgs?${project}`, { ...broken, common_env_cfg_type: "Secret" });
  const service_list = [{ service_name: "login" }];
  await ok("PUT", `${path}/service/yaml?${project}`, { env_key: "dev", service_list });
  await settled();
  for (const name of ["first", "second"]) {
    await ok("GET", `${path}/dev/envcfg/${name}?${project}&type=Secret`);
    await ok("GET", `${path}/dev/envcfg/${name}/history?${project}&type=Secret`);
  }
  for (const read of ["", "/drift", "/envcfgs", "/variable", "/services/login"])
    await ok("GET", `${path}/dev${read}?${project}`);
  await call("GET", `${path}/dev/service/login/versions?${project}`);
  await call("GET", `${path}/service/yaml?${project}&envName=dev&serviceName=login`);
}

async function settled(): Promise<void> {
  await waitFor("the environment to settle", async () => {
    const { json } = await slipway.call<{ status: string }>("GET", `/openapi/environments/dev?${project}`, { token });
    return ["running", "succeeded", "success"].includes(json.status);
  });
}

beforeAll(async () => {
  slipway = await startSlipway({
    bootstrapSecret,
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
    podDelayMilliseconds: 0,
  });
  await plantIdentity();
  await plantRegistries();
  await plantClusters();
  await plantIntegrations({ canaries, ok, refused });
  await plantServices();
  await plantEnvironment();
  await plantBuilds({ canaries, ok, refused });
  await plantWorkflows({ canaries, ok, refused }, "shop");
  const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const client = connect({ kind: "kubeconfig", text, trusted: true });
  jobObjects = await plantTasks({ canaries, ok, refused }, "shop", client);
  client.close();
  await plantOlderTasks({ canaries, ok, refused }, "shop");
  const raw = rawItems;
  items = await raw.all();
}, 240_000);

afterAll(() => slipway.close());

/** Items that keep the text of a service as it was sent or rendered; the contract answers it as it is. */
const textItems = [
  "service",
  "service-revision",
  "yaml-template",
  "change-plan",
  "environment-manifest",
  "environment-version-content",
];

/** Every file below a folder, as text. */
function filesIn(folder: string): [path: string, text: string][] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [[path, readFileSync(path, "utf8")] as [string, string]];
  });
}

/** The text of a schema with those of the components that it refers to. */
function withReferred(schema: unknown, seen = new Set<string>()): string {
  const text = JSON.stringify(schema);
  const referred = [...text.matchAll(/"#\/components\/schemas\/([\w-]+)"/g)].map(([, name = ""]) => name);
  const fresh = [...new Set(referred)].filter((name) => seen.size < seen.add(name).size);
  return [text, ...fresh.map((name) => withReferred(document.components.schemas[name] ?? {}, seen))].join("");
}

describe("a secret that was sent", () => {
  test("is planted in every field that takes one", () => {
    const isSecret = /pass(?!ed)|token|secret|kube_config|credential|access_key|private_key|ssh_key|encrypt_key/i;
    const isSetting = /_(?:enabled|time|rate)$/;
    const found = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => {
        const schema = operation.requestBody?.content["application/json"]?.schema;
        const fields = withReferred(schema ?? {}).matchAll(/"([\w-]+)":\{/g);
        const names = new Set(
          [...fields].map(([, name = ""]) => name).filter((name) => isSecret.test(name) && !isSetting.test(name)),
        );
        return [...names].map((name) => `${method.toUpperCase()} ${path} ${name}`);
      }),
    );
    expect(found.sort()).toEqual([...planted].sort());
    expect(canaries.names().length).toBeGreaterThan(35);
  });

  test("stands in no answer but those that the contract has it in, and in no error", () => {
    const leaks = answers.flatMap(({ request, status, text }) =>
      canaries
        .foundIn(text, status >= 400 ? [] : ["answers", "text"])
        .map((name) => `${name} in ${request} (${status})`),
    );
    expect(leaks).toEqual([]);
    const shown = answers.map(({ text }) => text).join("\n");
    expect(canaries.foundIn(shown), "what has to be shown is").toContain("a changed Secret");
  });

  test("stands in no operation log", async () => {
    const lists = await Promise.all([
      slipway.call("GET", "/openapi/system/operation?searchType=all&perPage=1000&page=1", { token }),
      slipway.call("GET", `/openapi/system/operation/env?${project}&envName=dev&searchType=all&perPage=1000&page=1`, {
        token,
      }),
      slipway.call("GET", "/openapi/system/operation/export", { token }),
    ]);
    for (const { status, text } of lists) {
      expect(status).toBe(200);
      expect(text).toContain("********");
      expect(canaries.foundIn(text)).toEqual([]);
    }
    const stored = items.filter(({ type }) => type === "operation-log" || type === "operation-places");
    expect(stored.length).toBeGreaterThan(20);
    expect(canaries.foundIn(JSON.stringify(stored))).toEqual([]);
  });

  test("stands in no log line", () => {
    const text = readFileSync(join(slipway.dataDir, "log.ndjson"), "utf8");
    expect(text).toContain('"requestId"');
    expect(canaries.foundIn(text)).toEqual([]);
  });

  test("stands in no input of a state machine, no event of a function and no schedule", () => {
    const files = filesIn(join(slipway.dataDir, "aws")).filter(([path]) => !path.includes("/objects/"));
    expect(files.some(([, text]) => text.includes("environment-change"))).toBe(true);
    for (const [path, text] of files) expect(canaries.foundIn(text), path).toEqual([]);
  });

  test("stands in no Job and no pod", () => {
    expect(jobObjects).toContain("SLIPWAY_CREDENTIAL_");
    expect(canaries.foundIn(jobObjects)).toEqual([]);
  });

  test("stands in no plain object of the store", () => {
    const files = filesIn(join(slipway.dataDir, "aws")).filter(([path]) => path.includes("/objects/"));
    expect(files.length).toBeGreaterThan(5);
    for (const [path, text] of files) expect(canaries.foundIn(text, ["text"]), path).toEqual([]);
  });

  test("stands in no plain item of the table", () => {
    const leaks = items.flatMap((item) => {
      const allowed = textItems.includes(String(item.type)) ? ["text" as const] : [];
      return canaries.foundIn(JSON.stringify(item), allowed).map((name) => `${name} in ${item.pk} ${item.sk}`);
    });
    expect(leaks).toEqual([]);
  });
});
