import { readFileSync } from "node:fs";
import type { Slipway } from "../harness/slipway.ts";
import { waitFor } from "../harness/waitFor.ts";
import { declarations } from "./declarations.ts";
import { pathOf, type TestRequest } from "./requests.ts";
import { walkArtifacts } from "./walkArtifacts.ts";
import { walkBuilds } from "./walkBuilds.ts";
import { walkCallbacks } from "./walkCallbacks.ts";
import { walkCharts } from "./walkCharts.ts";
import { walkConfigs } from "./walkConfigs.ts";
import { walkDeliveries } from "./walkDeliveries.ts";
import { walkFreezes } from "./walkFreezes.ts";
import { walkIntegrations } from "./walkIntegrations.ts";
import { walkLegacy } from "./walkLegacy.ts";
import { walkLoader } from "./walkLoader.ts";
import { walkPeople } from "./walkPeople.ts";
import { walkPlans } from "./walkPlans.ts";
import { walkPolicy } from "./walkPolicy.ts";
import { walkQuality } from "./walkQuality.ts";
import { walkSharing } from "./walkSharing.ts";
import { walkSignOn } from "./walkSignOn.ts";
import { walkStatistics } from "./walkStatistics.ts";
import { walkTasks } from "./walkTasks.ts";
import { walkTriggers } from "./walkTriggers.ts";
import { walkVersions, walkVersionUses } from "./walkVersions.ts";
import { walkWorkflows } from "./walkWorkflows.ts";

export const bootstrapSecret = "a-bootstrap-secret-of-this-test";
const password = "Passw0rd-of-the-walk";
const secretKey = "a-secret-key-of-the-walk";
const localCluster = "0123456789abcdef12345678";
const localRegistry = "0123456789abcdef12345679";

/** Texts of the walk that may stand in no log, no operation log and no answer but a sign-in's. */
export const secrets = { password, secretKey, bootstrapSecret };

export interface Step {
  name: string;
  request: TestRequest;
  token: string | null;
  headers?: Record<string, string>;
  /** A body that is sent as it stands. */
  text?: string;
}

type More = Partial<Pick<TestRequest, "params" | "query">> &
  Pick<Step, "headers" | "text"> & { body?: TestRequest["body"]; token?: string | null };

const manifest = (name: string, image: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: main
          image: "${image}:{{.tag}}"
`;

/**
 * Calls every endpoint of an installation without users once at least, so that each succeeds; `ask` makes a call and
 * returns its JSON. The installation must have been started with `bootstrapSecret`.
 */
export async function walk(slipway: Slipway, ask: <T>(step: Step) => Promise<T>): Promise<void> {
  let token: string | null = null;
  const call = <T = unknown>(name: string, more: More = {}): Promise<T> => {
    const route = declarations.find((declaration) => declaration.name === name)?.route;
    if (route === undefined) throw new Error(`${name} is not declared`);
    const { params = {}, query = {}, body, headers, text } = more;
    const path = pathOf(route.path, params, query);
    const own = more.token === undefined ? token : more.token;
    const sent = { ...(headers && { headers }), ...(text && { text }) };
    return ask<T>({ name, request: { path, params, query, body }, token: own, ...sent });
  };

  await call("GET /openapi.json");
  await call("GET /openapi-3.0.json");
  await call("GET /healthz");
  await call("GET /readyz");
  await call("GET /api/aslan/system/initialization/status");
  await call("POST /api/aslan/system/initialization/user", {
    headers: { "x-bootstrap-secret": bootstrapSecret },
    body: { username: "root", password, company: "Example", email: "root@example.com" },
  });
  const signIn = () =>
    call<{ uid: string; token: string }>("POST /api/v1/login", { token: null, body: { account: "root", password } });
  await call("GET /api/aslan/system/rsaKey/publicKey");
  const session = await signIn();
  token = session.token;
  await call("GET /api/v1/users/{uid}/personal", { params: { uid: session.uid } });
  const made = await call<{ token: string }>("POST /api/v1/users/{uid}/token", { params: { uid: session.uid } });
  await call("POST /api/v1/logout");
  await call("GET /api/v1/logout", { token: (await signIn()).token });
  token = made.token;
  const ada = await call<{ uid: string }>("POST /api/v1/users", {
    body: { name: "Ada", account: "ada", password, email: "ada@example.com" },
  });
  await walkPeople(call, session.uid, password);
  await walkSignOn(slipway, call);

  await walkResources(slipway, call);
  await walkProjects(call);
  await walkPolicy(call, ada.uid);
  await walkServices(call);
  await walkLoader(call, "walk", manifest("loaded", "nginx"));
  await walkTemplates(call);
  await walkLabels(call);
  await walkIntegrations(call, secretKey);
  await walkCallbacks(call);
  await walkBuilds(call, secretKey);
  await walkQuality(call, secretKey);
  await walkWorkflows(call, secretKey);
  await walkDeliveries(call);
  await walkTasks(call, session.uid);
  await walkTriggers(call, secretKey);
  await walkVersions(call);
  await walkEnvironments(slipway, call, token, session.uid);
  await walkCharts(slipway, call, { token, cluster_id: localCluster, registry_id: localRegistry });
  await call("POST /openapi/collaborations", { body: { project_key: "walk", name: "pairs", user_ids: [ada.uid] } });
  await call("DELETE /openapi/collaborations/{name}", { params: { name: "pairs" }, query: { projectKey: "walk" } });
  await walkFreezes(call);
  await walkArtifacts(call);
  await walkPlans(call, session.uid);
  await walkStatistics(call);
  await call("GET /openapi/events/stream", { query: { once: "true" } });
  await call("POST /openapi/events/socket");
  const page = { searchType: "all", perPage: "20", page: "1" };
  await call("GET /openapi/system/operation", { query: page });
  await call("GET /openapi/system/operation/export", { query: { after: "0", limit: "3" } });
  await call("GET /openapi/system/operation/env", { query: { ...page, projectKey: "walk", envName: "dev" } });
  await call("DELETE /openapi/projects/project", { query: { projectKey: "walk", isDelete: "true" } });
}

export type Call = <T = unknown>(name: string, more?: More) => Promise<T>;

async function walkResources(slipway: Slipway, call: Call): Promise<void> {
  const kube_config = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
  const { cluster } = await call<{ cluster: { cluster_id: string } }>("POST /openapi/system/cluster", {
    body: { name: "second", type: "kubeconfig", kube_config, project_names: ["walk"] },
  });
  const ofCluster = { params: { id: cluster.cluster_id } };
  await call("GET /openapi/system/cluster");
  await call("GET /openapi/system/cluster", { query: { projectName: "walk" } });
  await call("GET /openapi/cluster/istio/check/{id}", ofCluster);
  await call("PUT /openapi/system/cluster/{id}", { ...ofCluster, body: { description: "changed" } });
  await call("DELETE /openapi/system/cluster/{id}", ofCluster);

  const registry = { address: "https://registry.example.com", provider: "native", namespace: "team" };
  await call("POST /openapi/system/registry", {
    body: { ...registry, access_key: "robot", secret_key: secretKey },
  });
  const list = await call<{ registry_id: string; namespace: string }[]>("GET /openapi/system/registry");
  const id = list.find(({ namespace }) => namespace === "team")?.registry_id ?? "";
  await call("GET /openapi/system/registry/{id}", { params: { id } });
  await call("PUT /openapi/system/registry/{id}", { params: { id }, body: { ...registry, secret_key: secretKey } });
  await call("DELETE /api/aslan/system/registry/namespaces/{id}", { params: { id } });
  await call("POST /api/aslan/system/registry/images", { body: { names: ["web"] } });
  const { registryAddress: address, registryLogin } = slipway.runtime;
  const keys = { access_key: registryLogin.username, secret_key: registryLogin.password };
  await call("POST /api/aslan/system/registry/validate", { body: { ...registry, address, ...keys } });
}

async function walkProjects(call: Call): Promise<void> {
  const project = { project_name: "The walk", project_key: "walk", is_public: false, project_type: "yaml" };
  await call("POST /openapi/projects/project", { body: project });
  await call("POST /openapi/projects/project/init/yaml", {
    body: {
      project_name: "In one call",
      project_key: "at-once",
      service_list: [{ service_name: "web", source: "yaml", yaml: manifest("web", "nginx") }],
      env_list: [],
    },
  });
  await call("GET /openapi/projects/project");
  await call("GET /openapi/projects/project/detail", { query: { projectKey: "walk" } });
  const global_variables = [{ key: "region", value: "eu", type: "string", options: [], desc: "where" }];
  const named = { params: { name: "walk" }, body: { global_variables } };
  await call("PUT /api/aslan/project/products/{name}/globalVariables", named);
  await call("PUT /api/aslan/project/products/{name}/productionGlobalVariables", named);
  await call("GET /openapi/projects/project/globalVariable", { query: { projectKey: "walk" } });
  const ofWalk = { query: { projectKey: "walk" } };
  await call("PUT /openapi/projects/project/deliveryHook", { ...ofWalk, body: { enable: false } });
  await call("GET /openapi/projects/project/deliveryHook", ofWalk);
  await call("PUT /openapi/projects/project/verification", { ...ofWalk, body: { enabled: false } });
  await call("GET /openapi/projects/project/verification", ofWalk);
  const byPath = { params: { projectKey: "walk" } };
  await call("PUT /openapi/system/projects/{projectKey}/boundary", { ...byPath, body: { pod_security: "baseline" } });
  await call("GET /openapi/system/projects/{projectKey}/boundary", byPath);
  await call("PUT /openapi/system/projects/{projectKey}/retention", { ...byPath, body: { task_days: 0 } });
  await call("GET /openapi/system/projects/{projectKey}/retention", byPath);
}

async function walkServices(call: Call): Promise<void> {
  const query = { projectKey: "walk" };
  const tag = (value: string) => [{ key: "tag", value, type: "string" }];
  for (const prefix of ["/openapi/service/yaml", "/openapi/service/yaml/production"]) {
    const params = { serviceName: "web" };
    const yaml = manifest("web", "nginx");
    for (const service_name of ["web", "extra"])
      await call(`POST ${prefix}/raw`, {
        query,
        body: { service_name, yaml: manifest(service_name, "nginx"), variable_yaml: tag("1") },
      });
    await call(`PUT ${prefix}/{serviceName}`, { params, query, body: { type: "k8s", yaml: `${yaml}# second\n` } });
    await call(`PUT ${prefix}/{serviceName}/variable`, { params, query, body: { service_variable_kvs: tag("2") } });
    await call(`GET ${prefix}/services`, { query });
    await call(`GET ${prefix}/{serviceName}/revisions`, { params, query });
    await call(`GET ${prefix}/{serviceName}/revisions/{revision}`, { params: { ...params, revision: "1" }, query });
    await call(`GET ${prefix}/{serviceName}`, { params, query });
  }
}

async function walkTemplates(call: Call): Promise<void> {
  const path = "/api/aslan/template/yaml";
  const service_variable_kvs = [{ key: "tag", value: "1", type: "string" }];
  const template = { name: "library", content: manifest("$T-Service$", "nginx"), service_variable_kvs };
  const { id } = await call<{ id: string }>(`POST ${path}`, { body: template });
  for (const kind of ["", "production/"])
    await call(`POST /openapi/service/template/${kind}load/yaml`, {
      body: { service_name: "from-template", project_key: "walk", template_name: "library", auto_sync: true },
    });
  await call(`PUT ${path}/{id}`, { params: { id }, body: { ...template, content: manifest("$T-Service$", "httpd") } });
  await call(`POST ${path}/{id}/reference`, { params: { id } });
  await call(`GET ${path}`);
  await call(`GET ${path}/{id}`, { params: { id } });
  for (const prefix of ["/openapi/service/yaml", "/openapi/service/yaml/production"])
    await call(`DELETE ${prefix}/{serviceName}`, {
      params: { serviceName: "from-template" },
      query: { projectKey: "walk" },
    });
  await call(`DELETE ${path}/{id}`, { params: { id } });
}

async function walkLabels(call: Call): Promise<void> {
  const path = "/api/aslan/system/labels";
  const { id } = await call<{ id: string }>(`POST ${path}`, { body: { key: "team", description: "who" } });
  const binding = { project_key: "walk", service_name: "web", label_id: id, value: "shop" };
  for (const production of [false, true])
    await call("POST /api/aslan/service/labels", { body: { ...binding, production } });
  await call(`PUT ${path}/{id}`, { params: { id }, body: { key: "owner" } });
  await call(`GET ${path}`);
  const named = { params: { serviceName: "web" }, query: { projectKey: "walk" } };
  await call("GET /openapi/service/yaml/{serviceName}/labels", named);
  await call("DELETE /api/aslan/service/labels", { body: binding });
  await call("DELETE /api/aslan/service/labels", { body: { ...binding, production: true } });
  await call(`DELETE ${path}/{id}`, { params: { id } });
}

async function walkEnvironments(slipway: Slipway, call: Call, token: string | null, uid: string): Promise<void> {
  const query = { projectKey: "walk" };
  for (const [kind, prefix] of [
    ["dev", "/openapi/environments"],
    ["prod", "/openapi/environments/production"],
  ] as const) {
    const services = ["web", "extra"].map((service_name) => ({ service_name }));
    await call(`POST ${prefix}`, {
      query,
      body: {
        env_key: kind,
        namespace: `walk-${kind}`,
        cluster_id: localCluster,
        registry_id: localRegistry,
        ...(kind === "dev" && { services: services.slice(0, 1) }),
      },
    });
    const settled = (status: string) =>
      waitFor(`${kind} to be ${status}`, async () => {
        const path = `${prefix}/${kind}?projectKey=walk`;
        const answer = await slipway.call<{ status: string }>("GET", path, { token });
        return answer.json.status === status;
      });
    const params = { envName: kind };
    await settled(kind === "dev" ? "running" : "succeeded");
    if (kind === "dev") await walkLegacy(call, uid);
    await call(`GET ${prefix}`, { query });
    await call(`POST ${prefix}/service/yaml`, {
      query,
      body: { env_key: kind, service_list: kind === "dev" ? services.slice(1) : services },
    });
    await settled("running");
    await call(`GET ${prefix}/{envName}`, { params, query });
    await call(`GET ${prefix}/{envName}/services/{serviceName}`, { params: { ...params, serviceName: "web" }, query });
    await call(`GET ${prefix}/{envName}/drift`, { params, query });
    await call("GET /openapi/environments/kube/events", {
      query: { ...query, envName: kind, name: "web", type: "Deployment" },
    });
    const ofService = { ...query, envName: kind, serviceName: "web" };
    await call(`GET ${prefix}/services/yaml`, { query: ofService });
    await call(`GET ${prefix}/service/yaml`, { query: ofService });
    const service_list = [{ service_name: "web", variable_kvs: [{ key: "tag", value: "3" }] }];
    await call(`PUT ${prefix}/service/yaml`, { query, body: { env_key: kind, service_list } });
    await settled("running");
    await call(`PUT ${prefix}/{envName}/services`, { params, query, body: { service_list } });
    await settled("running");
    const ofWeb = { envName: kind, serviceName: "web" };
    await call(`GET ${prefix}/{envName}/service/{serviceName}/versions`, { params: ofWeb, query });
    const versions = { ...ofWeb, a: "1", b: "2" };
    await call(`GET ${prefix}/{envName}/service/{serviceName}/versions/{a}/diff/{b}`, { params: versions, query });
    const first = { ...ofWeb, revision: "1" };
    await call(`POST ${prefix}/{envName}/service/{serviceName}/versions/{revision}/rollback`, { params: first, query });
    await settled("running");
    await call(`PUT ${prefix}/{envName}`, { params, query, body: { registry_id: localRegistry } });
    await walkWorkloads(slipway, call, { token, prefix, kind });
    await settled("running");
    const nightly = { sleep_cron: "0 20 * * *", time_zone: "Europe/Berlin", enabled: true };
    await call(`PUT ${prefix}/{envName}/sleep/schedule`, { params, query, body: nightly });
    await call(`GET ${prefix}/{envName}/sleep/schedule`, { params, query });
    for (const [turn, status] of [
      ["sleep", "sleeping"],
      ["wake", "running"],
    ] as const) {
      await call(`POST ${prefix}/{envName}/${turn}`, { params, query });
      await settled(status);
    }
    if (kind === "dev") await walkOlderPaths(slipway, call, token, settled);
    await walkConfigs(call, prefix, kind, secretKey);
    await walkSharing(slipway, call, { prefix, kind, settled });
    if (kind === "dev") await walkVersionUses(slipway, call, settled);
    await call(`DELETE ${prefix}/service/yaml`, { query, body: { env_key: kind, service_names: ["extra"] } });
    await settled("running");
    await call(`DELETE ${prefix}/{envName}`, { params, query: { ...query, isDelete: "true" } });
    await waitFor(`${kind} to be gone`, async () => {
      const answer = await slipway.call("GET", `${prefix}/${kind}?projectKey=walk`, { token });
      return answer.status === 404;
    });
  }
  for (const prefix of ["/openapi/service/yaml", "/openapi/service/yaml/production"])
    await call(`DELETE ${prefix}/{serviceName}`, { params: { serviceName: "extra" }, query });
}

const otherKinds = `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: store }
spec:
  serviceName: store
  selector: { matchLabels: { app: store } }
  template:
    metadata: { labels: { app: store } }
    spec: { containers: [{ name: main, image: "store:1" }] }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: { restartPolicy: Never, containers: [{ name: main, image: "nightly:1", command: ["true"] }] }
---
apiVersion: batch/v1
kind: Job
metadata: { name: once }
spec:
  template:
    spec: { restartPolicy: Never, containers: [{ name: main, image: "once:1", command: ["echo", "done"] }] }
`;

/** What is done to the workloads of one environment; the paths without a production form are gone with the first. */
async function walkWorkloads(
  slipway: Slipway,
  call: Call,
  { token, prefix, kind }: { token: string | null; prefix: string; kind: string },
): Promise<void> {
  const query = { projectKey: "walk" };
  const params = { envName: kind, serviceName: "web" };
  const path = `${prefix}/${kind}/service/web/pods?projectKey=walk`;
  const podNames = async () => {
    const answer = await slipway.call<{ pods: { pod_name: string }[] }>("GET", path, { token });
    return answer.json.pods.map(({ pod_name }) => pod_name);
  };
  const former = await podNames();
  await call(`POST ${prefix}/{envName}/service/{serviceName}/restart`, { params, query });
  const podName = await waitFor("one new pod of web alone", async () => {
    const [name, ...others] = await podNames();
    return others.length === 0 && name !== undefined && !former.includes(name) && name;
  });
  await call(`GET ${prefix}/{envName}/service/{serviceName}/pods`, { params, query });
  await call(`POST ${prefix}/{envName}/pod/{podName}/restart`, { params: { envName: kind, podName }, query });
  const scale = { project_key: "walk", env_key: kind, workload_name: "web", workload_type: "Deployment" };
  await call("POST /openapi/environments/scale", { body: { ...scale, service_name: "web", target_replicas: 2 } });
  if (kind !== "dev") return;
  await call("POST /openapi/service/yaml/raw", { query, body: { service_name: "others", yaml: otherKinds } });
  const service_list = [{ service_name: "others" }];
  await call("POST /openapi/environments/service/yaml", { query, body: { env_key: kind, service_list } });
  await waitFor("the other kinds to be applied", async () => {
    const answer = await slipway.call<{ stored_status: string }>("GET", `${prefix}/${kind}?projectKey=walk`, { token });
    return answer.json.stored_status === "success";
  });
  await walkLogs(slipway, call, token);
  for (const [path, service_name, name] of [
    ["deployment", "web", "web"],
    ["statefulset", "others", "store"],
    ["cronjob", "others", "nightly"],
    ["job", "others", "once"],
  ] as const)
    await call(`POST /openapi/environments/image/${path}/{envName}`, {
      params: { envName: kind },
      body: { product_name: "walk", env_name: kind, service_name, name, container_name: "main", image: `${name}:2` },
    });
}

/** The log of the Job, which ends because its container has. */
async function walkLogs(slipway: Slipway, call: Call, token: string | null): Promise<void> {
  const path = "/openapi/environments/dev/service/others/pods?projectKey=walk";
  const podName = await waitFor("the pod of the Job to have run", async () => {
    const { json } = await slipway.call<{ pods: { pod_name: string; status: string }[] }>("GET", path, { token });
    return json.pods.find(({ status }) => status === "Completed")?.pod_name;
  });
  await call("GET /openapi/logs/sse/pods/{podName}/containers/{containerName}", {
    params: { podName, containerName: "main" },
    query: { projectKey: "walk", envName: "dev" },
  });
}

/** Environments by older paths. */
async function walkOlderPaths(
  slipway: Slipway,
  call: Call,
  token: string | null,
  settled: (status: string) => Promise<unknown>,
): Promise<void> {
  const older = "/api/aslan/environment/environments";
  const query = { projectKey: "walk" };
  const place = { namespace: "walk-older", cluster_id: localCluster, registry_id: localRegistry };
  await call(`POST ${older}`, { query, body: { env_key: "older", ...place } });
  await call(`GET ${older}`, { query });
  for (const [action, status] of [
    ["enable", "sleeping"],
    ["disable", "running"],
  ] as const) {
    await call(`POST ${older}/{envName}/sleep`, { params: { envName: "dev" }, query: { ...query, action } });
    await settled(status);
  }
  await call("DELETE /openapi/environments/{envName}", {
    ...{ params: { envName: "older" }, query: { ...query, isDelete: "true" } },
  });
  await waitFor("older to be gone", async () => {
    return (await slipway.call("GET", "/openapi/environments/older?projectKey=walk", { token })).status === 404;
  });
}
