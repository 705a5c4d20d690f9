import { readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as z from "zod";
import { readOnlyActions } from "../../shared/access/identity/rules/actions.ts";
import type { LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { openSource } from "../../shared/workflows/saved/credentials.ts";
import { findWorkflow } from "../../shared/workflows/saved/store/workflows.ts";
import { localClusterId } from "../harness/boutique.ts";
import { rawItems } from "../harness/rawItems.ts";
import { adminToken, type Slipway, startSlipway } from "../harness/slipway.ts";
import { makeWorkflow } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";
import { declarations, nameOf } from "./declarations.ts";
import { pathOf } from "./requests.ts";
import { combinations, projects } from "./secretNames.ts";
import { kinds, makeSecretProject, marks, marksIn } from "./secretProject.ts";
import { type Person, storedPerson } from "./storedPerson.ts";

const place = { cluster_id: localClusterId, registry_id: "0123456789abcdef12345679" };
const seesValues = ["config_environment", "config_production_environment", "edit_service", "edit_production_service"];

let slipway: Slipway;
let reader: Person;
let holder: Person;
/** May create services, and may see no value of one that is there. */
let creator: Person;
let versionIds: string[] = [];

beforeAll(async () => {
  slipway = await startSlipway({ podDelayMilliseconds: 0, settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" } });
  await makeSecretProject(slipway);
  const all = (roles: Record<string, readonly string[]>) => projects.map((namespace) => ({ namespace, roles }));
  reader = await storedPerson("a reader", ...all({ "read-only": readOnlyActions }));
  holder = await storedPerson("a holder", ...all({ sees: [...readOnlyActions, ...seesValues] }));
  const creates = ["create_service", "create_production_service"];
  creator = await storedPerson("a creator", ...all({ creates: [...readOnlyActions, ...creates] }));
  const items = await rawItems.all();
  versionIds = [...new Set(items.flatMap(({ pk, sk }) => `${pk} ${sk}`.match(/\b[0-9a-f]{24}\b/g) ?? []))];
}, 240_000);

afterAll(() => slipway.close());

const known = () => ({ versionIds, uid: reader.uid });

/** Names of the query to fill in: all that there are, and again only those that have to be given. */
function namesOf(query: z.ZodType): string[][] {
  const shape = Object.entries((query as z.ZodObject).shape as Record<string, z.ZodType>);
  const all = shape.map(([name]) => name).filter((name) => !notFilled.includes(name));
  const required = shape.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
  return [all, required];
}

/** They say how an answer is to look, and not what of. */
const notFilled = ["format", "token", "keyword"];

interface Asked {
  name: string;
  method: string;
  path: string;
}

/** Every way to ask for what is there without changing anything. */
const readings = declarations.filter(({ route }) => route.method === "GET" || "reads" in route);

function requestsOf({ route }: (typeof declarations)[number]): Asked[] {
  const names = [...route.path.matchAll(/:([A-Za-z]+)/g)].map(([, name = ""]) => name);
  const asked = projects.flatMap((project) =>
    combinations(names, project, known()).flatMap((params) => {
      const queries = namesOf(route.query).flatMap((query) => combinations(query, project, known()));
      return queries.map((query) => pathOf(route.path, params, query));
    }),
  );
  return [...new Set(asked)].map((path) => ({ name: nameOf(route), method: route.method, path }));
}

/** What arrives within half a second of a stream that stays open, all of any other answer. */
function ask(method: string, path: string, token: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sentText = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      "content-length": Buffer.byteLength(sentText),
    };
    const sent = httpRequest(slipway.runtime.url + path, { method, headers }, (response) => {
      let text = JSON.stringify(response.headers);
      const end = (): void => {
        response.destroy();
        resolve({ status: response.statusCode ?? 0, text });
      };
      const isStream = String(response.headers["content-type"]).startsWith("text/event-stream");
      if (isStream) setTimeout(end, 500);
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", end).on("error", end);
    });
    sent.on("error", reject).end(sentText);
  });
}

interface Found extends Asked {
  status: number;
  text: string;
  marks: string[];
}

async function askAll(person: Person): Promise<Found[]> {
  const found: Found[] = [];
  for (const asked of readings.flatMap(requestsOf)) {
    const { status, text } = await ask(asked.method, asked.path, person.token);
    found.push({ ...asked, status, text, marks: marksIn(text) });
  }
  return found;
}

const leaksIn = (found: readonly Pick<Found, "marks" | "method" | "path">[]) =>
  found.filter((one) => one.marks.length > 0).map((one) => `${one.marks} in ${one.method} ${one.path}`);

/** Through which a Secret can be seen: each must have answered, or nothing was looked at. */
const doors = [
  ...kinds.flatMap(({ prefix, services }) => [
    `GET ${prefix}/{envName}`,
    `GET ${prefix}/{envName}/drift`,
    `GET ${prefix}/services/yaml`,
    `GET ${prefix}/service/yaml`,
    `GET ${prefix}/{envName}/envcfgs`,
    `GET ${prefix}/{envName}/envcfg/{envCfgName}`,
    `GET ${prefix}/{envName}/envcfg/{envCfgName}/history`,
    `GET ${prefix}/{envName}/service/{serviceName}/versions/{a}/diff/{b}`,
    `GET ${services}/{serviceName}`,
    `GET ${services}/{serviceName}/revisions/{revision}`,
  ]),
  "GET /openapi/statistics/v2/rollback/detail",
  "GET /openapi/delivery/releases",
  "GET /openapi/delivery/releases/detail",
  "GET /openapi/delivery/releases/{id}",
  "GET /openapi/delivery/releases/{id}/manifest",
  "GET /openapi/delivery/releases/{id}/diff/{other}",
  "GET /openapi/workflows/custom/task",
  "GET /openapi/events/stream",
];

/** What a change would do, where it would touch a Secret. */
function previews({ prefix, services, env, production }: (typeof kinds)[number]): Sent[] {
  const here = "projectKey=veil&dryRun=true";
  const service_list = [{ service_name: "login" }];
  const charts = "projectKey=veil-charts&dryRun=true";
  const chart = { services: [{ service_name: "web", values_yaml: "color: red" }] };
  return [
    { method: "PUT", path: `${prefix}/service/yaml?${here}`, body: { env_key: env, service_list } },
    { method: "PUT", path: `${prefix}/${env}/services?${here}`, body: { service_list } },
    { method: "DELETE", path: `${prefix}/service/yaml?${here}`, body: { env_key: env, service_names: ["login"] } },
    { method: "POST", path: `${prefix}/${env}/service/login/restart?${here}` },
    { method: "DELETE", path: `${prefix}/${env}?${here}&isDelete=true` },
    { method: "POST", path: `/openapi/environments/helm/${env}/services?${charts}`, body: chart },
    { method: "DELETE", path: `${prefix}/${env}?${charts}&isDelete=true` },
    { method: "DELETE", path: `${prefix}/service/yaml?${charts}`, body: { env_key: env, service_names: ["web"] } },
    {
      ...{ method: "POST", path: `${services}/raw?${here}` },
      body: { service_name: `new-${production}`, yaml: plainSecret(marks.version) },
    },
  ];
}

interface Sent {
  method: string;
  path: string;
  body?: object;
}

const plainSecret = (value: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "sent" }, stringData: { key: value } });

describe("values of Secrets", () => {
  test("stand in no answer to a reader, who asks for everything that is there", async () => {
    const found = await askAll(reader);
    expect(leaksIn(found)).toEqual([]);
    const answered = found.filter(({ status }) => status === 200);
    expect(doors.filter((door) => !answered.some(({ name }) => name === door))).toEqual([]);
    const masked = new Set(answered.filter(({ text }) => text.includes("********")).map(({ name }) => name));
    const showing = doors.filter((door) => !/envcfgs|events|\{envName\}$|releases$/.test(door));
    expect(showing.filter((door) => !masked.has(door))).toEqual([]);
  }, 120_000);

  test("are answered to who may configure the environment and edit the service", async () => {
    const found = await askAll(holder);
    const seen = new Set(found.flatMap((one) => one.marks));
    const { version: _hiddenFromAll, patch: _sealed, patchParam: _too, ...shown } = marks;
    expect([...seen].sort()).toEqual(Object.keys(shown).sort());
  }, 120_000);

  test.each(kinds)("stand in no preview of a change in $env, whoever asks", async (kind) => {
    for (const { method, path, body } of previews(kind)) {
      const { status, text } = await ask(method, path, adminToken, body);
      expect(status, `${method} ${path}: ${text}`).toBe(200);
      expect(leaksIn([{ method, path, marks: marksIn(text) }])).toEqual([]);
    }
  });

  test.each(kinds)("are shown by each verb of $env for itself", async ({ env, prefix, services, production }) => {
    const one = async (verb: string) => {
      const roles = { [verb]: [...readOnlyActions, verb] };
      const { token } = await storedPerson(verb, { namespace: "veil", roles });
      const config = await ask("GET", `${prefix}/${env}/envcfg/held?projectKey=veil&type=Secret`, token);
      const service = await ask("GET", `${services}/login?projectKey=veil`, token);
      return [config, service].flatMap(({ text }) => marksIn(text));
    };
    const [own, other] = production ? ["production_", ""] : ["", "production_"];
    expect(await one(`config_${own}environment`)).toEqual(["config"]);
    expect(await one(`edit_${own}service`)).toEqual(["service", "literal"]);
    for (const verb of [`config_${other}environment`, `edit_${other}service`, `edit_${own}environment`])
      expect(await one(verb), verb).toEqual([]);
  });

  test("stand in no log line and in no operation log", async () => {
    const { text } = await slipway.call("GET", "/openapi/system/operation/export");
    expect(text).toContain("Environment Configuration");
    expect(marksIn(text)).toEqual([]);
    const log = readFileSync(join(slipway.dataDir, "log.ndjson"), "utf8");
    expect(log).toContain('"requestId"');
    expect(marksIn(log)).toEqual([]);
  });
});

describe("the mask", () => {
  test.each(kinds)("is no value that a service or a configuration of $env takes", async (kind) => {
    const { services, prefix, env } = kind;
    const read = await ask("GET", `${services}/login?projectKey=veil`, creator.token);
    const { yaml } = JSON.parse(read.text.slice(read.text.indexOf("}") + 1)) as { yaml: string };
    const told = "******** stands for a value of a Secret that is not shown; send the value itself of ";
    const copy = await ask("POST", `${services}/raw?projectKey=veil`, creator.token, { service_name: "copy", yaml });
    expect(copy.text).toContain(`${told}stringData.password, stringData.key`);
    expect(copy.text).toContain('"code":6045');
    const saved = await ask("PUT", `${services}/login?projectKey=veil`, holder.token, { type: "k8s", yaml });
    expect(saved.text).toContain('"code":6045');
    const body = { name: "held", common_env_cfg_type: "Secret", env_key: env, yaml_data: plainSecret("********") };
    for (const [method, path] of [
      ["POST", `${prefix}/${env}/envcfgs?projectKey=veil`],
      ["PUT", `${prefix}/envcfgs?projectKey=veil`],
    ] as const) {
      const answer = await ask(method, path, holder.token, body);
      expect(answer.text).toContain(`${told}stringData.key`);
      expect(answer.status, answer.text).toBe(400);
    }
  });
});

describe("what a workflow patches a Secret with", () => {
  const path = "/openapi/workflows/custom";
  const target = { resource_name: "kubectl", resource_kind: "Secret", resource_version: "v1" };
  const item = (name: string, patch_content: string) => ({
    ...{ ...target, resource_name: name, patch_strategy: "merge", patch_content },
    params: [{ name: "more", value: "by default" }],
  });
  const workflow = (...patch_items: object[]) => ({
    ...{ name: "keeps", display_name: "Keeps", project: "veil" },
    stages: [
      {
        name: "patch",
        jobs: [
          {
            ...{ name: "patch", type: "k8s-resource-patch" },
            spec: { cluster_id: localClusterId, namespace: "veil-prod", patch_items },
          },
        ],
      },
    ],
  });

  test("is kept when the workflow is saved as it was shown, and brought into that Secret alone", async () => {
    const content = JSON.stringify({ stringData: { key: "kept by the workflow", more: "{{.more}}" } });
    const made = await slipway.call("POST", path, { body: workflow(item("kubectl", content)) });
    expect(made.status, made.text).toBe(200);
    const shown = await slipway.call(`GET`, `${path}/keeps/detail?projectKey=veil`);
    expect(shown.text).toContain('"patch_content":"********"');
    const save = (body: object) => slipway.call("PUT", `${path}/keeps?projectKey=veil`, { body });
    const other = await save(workflow(item("held", "********")));
    expect([other.status, other.text]).toEqual([400, expect.stringContaining("none is stored here")]);
    const masked = { ...item("kubectl", "********"), params: [{ name: "more", value: "********" }] };
    const saved = await save(workflow(masked));
    expect(saved.status, saved.text).toBe(200);
    const input = { job_name: "patch", job_type: "k8s-resource-patch", parameters: { target_list: [target] } };
    const started = await slipway.call("POST", `${path}/task`, {
      body: { project_key: "veil", workflow_key: "keeps", inputs: [input] },
    });
    expect(started.status, started.text).toBe(200);
    await waitFor("the task to pass", async () => {
      const task = await slipway.call<{ status: string }>(
        "GET",
        `${path}/task?projectKey=veil&workflowKey=keeps&taskId=1`,
      );
      return task.json.status === "passed";
    });
    const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
    const client = connect({ kind: "kubeconfig", text, trusted: true });
    const ref = { apiVersion: "v1", kind: "Secret", name: "kubectl", namespace: "veil-prod" };
    const { data } = (await client.get(ref)) as LiveObject & { data: Record<string, string> };
    client.close();
    const values = ["key", "more"].map((key) => Buffer.from(data[key] ?? "", "base64").toString());
    expect(values).toEqual(["kept by the workflow", "by default"]);
  });

  test("is sealed when a workflow that has it in the clear is saved as it is shown", async () => {
    const content = JSON.stringify({ stringData: { key: "in the clear" } });
    const { stages } = workflow(item("kubectl", content));
    await makeWorkflow("veil", { name: "former", stages } as never);
    const shown = await slipway.call<object>("GET", `${path}/former/detail?projectKey=veil`);
    expect(shown.text).not.toContain("in the clear");
    const body = { ...workflow(item("kubectl", "********")), name: "former", display_name: "former" };
    const saved = await slipway.call("PUT", `${path}/former?projectKey=veil`, { body });
    expect(saved.status, saved.text).toBe(200);
    const found = await findWorkflow("former");
    expect(JSON.stringify(found?.source)).not.toContain("in the clear");
    expect(JSON.stringify(found && (await openSource(found)))).toContain("in the clear");
  });
});

describe("the pull secret", () => {
  const name = "default-registry-secret";
  const own = "default-registry-secret is managed by Slipway; change the registry instead";
  const yaml = JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name }, stringData: { a: "b" } });

  async function standing(env: string): Promise<LiveObject> {
    const text = readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8");
    const client = connect({ kind: "kubeconfig", text, trusted: true });
    const found = await client.get({ apiVersion: "v1", kind: "Secret", name, namespace: `veil-${env}` });
    client.close();
    return found;
  }

  test.each(kinds)("of $env is neither listed nor read, changed or deleted by an endpoint", async (kind) => {
    const { prefix, services, env, production } = kind;
    const before = await standing(env);
    const at = `${prefix}/${env}/envcfg/${name}`;
    const list = await slipway.call("GET", `${prefix}/${env}/envcfgs?projectKey=veil&type=Secret`);
    expect(list.text).toContain('"kubectl"');
    expect(list.text).not.toContain(name);
    expect((await slipway.call("GET", `${at}?projectKey=veil&type=Secret`)).status).toBe(404);
    expect((await slipway.call("GET", `${at}/history?projectKey=veil&type=Secret`)).text).toBe("[]");
    const body = { name, common_env_cfg_type: "Secret", env_key: env, yaml_data: yaml };
    const service_list = [{ service_name: "own" }];
    const made = await slipway.call("POST", `${services}/raw?projectKey=veil`, { body: { service_name: "own", yaml } });
    expect(made.status, made.text).toBe(200);
    const environment = { env_key: "more", namespace: "veil-more", env_configs: [body], ...place };
    for (const [method, path, sent] of [
      ["POST", `${prefix}/${env}/envcfgs?projectKey=veil`, body],
      ["PUT", `${prefix}/envcfgs?projectKey=veil`, body],
      ["DELETE", `${at}?projectKey=veil&type=Secret`, undefined],
      ["POST", `${prefix}/service/yaml?projectKey=veil`, { env_key: env, service_list }],
      ...(production ? [] : [["POST", `${prefix}?projectKey=veil`, environment] as const]),
    ] as const) {
      const { status, text } = await slipway.call(method, path, sent === undefined ? {} : { body: sent });
      expect(status, `${method} ${path}: ${text}`).toBe(400);
      expect(text, `${method} ${path}`).toContain(own);
    }
    expect(await standing(env)).toEqual(before);
  });

  test("is patched by no job", async () => {
    const before = await standing("dev");
    const patch = { resource_name: name, resource_kind: "Secret", resource_version: "v1", patch_content: "data: null" };
    const spec = { cluster_id: localClusterId, namespace: "veil-dev", patch_items: [patch] };
    const stages = [{ name: "patch", jobs: [{ name: "patch", type: "k8s-resource-patch", spec }] }];
    const workflow = { name: "patch", display_name: "Patch", project: "veil", stages };
    const saved = await slipway.call("POST", "/openapi/workflows/custom", { body: workflow });
    expect(saved.status, saved.text).toBe(200);
    const target = { resource_name: name, resource_kind: "Secret", resource_version: "v1", inputs: [] };
    const input = { job_name: "patch", job_type: "k8s-resource-patch", parameters: { target_list: [target] } };
    const started = await slipway.call("POST", "/openapi/workflows/custom/task", {
      body: { project_key: "veil", workflow_key: "patch", inputs: [input] },
    });
    expect(started.status, started.text).toBe(200);
    const path = "/openapi/workflows/custom/task?projectKey=veil&workflowKey=patch&taskId=1";
    const { text } = await waitFor("the task to end", async () => {
      const task = await slipway.call<{ status: string }>("GET", path);
      return task.json.status === "failed" && task;
    });
    expect(text).toContain(own);
    expect(text).toContain('"patch_content":"********"');
    expect(await standing("dev")).toEqual(before);
  });
});
