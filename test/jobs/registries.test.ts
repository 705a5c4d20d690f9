import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ClusterClient, LiveObject } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../harness/boutique.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let cluster: ClusterClient;
const ids: Record<string, string> = {};

const hostOf = (namespace: string) => `${namespace}.registry.example.com`;

/** The shop's environment uses `shop`, another project's `stock`; `pushed` and `nobody` are no environment's. */
beforeAll(async () => {
  ({ slipway, tasks } = await startShop({ podDelayMilliseconds: 0 }));
  cluster = connect({
    kind: "kubeconfig",
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
    trusted: true,
  });
  await post("/openapi/projects/project", { project_name: "stock", project_key: "stock", project_type: "yaml" });
  for (const namespace of ["shop", "stock", "pushed", "nobody"]) {
    const registry = { address: `https://${hostOf(namespace)}`, provider: "native", namespace, is_default: false };
    const login = { access_key: "robot", secret_key: `key-of-${namespace}` };
    await post("/openapi/system/registry", { ...registry, ...login });
  }
  const { json } = await slipway.call<{ registry_id: string; namespace: string }[]>("GET", "/openapi/system/registry");
  for (const { registry_id, namespace } of json) ids[namespace] = registry_id;
  for (const key of ["shop", "stock"])
    await post(`/openapi/environments?projectKey=${key}`, {
      ...{ env_key: "dev", namespace: `${key}-dev`, cluster_id: localClusterId, registry_id: ids[key], services: [] },
    });
});

afterAll(async () => {
  cluster?.close();
  await slipway?.close();
});

async function post(path: string, body: object): Promise<void> {
  const { status, text } = await slipway.call("POST", path, { body });
  expect([path, status, text]).toEqual([path, 200, text]);
}

const runtime = { infrastructure: "kubernetes", build_os: "ubuntu 20.04" };
/** Reversed, so that nothing is masked. */
const tellAll = 'env | sed -n "s/^\\([A-Za-z_]*REGISTRY_[A-Z]*\\)=/\\1 /p" | sort | rev';

async function told(workflow: string, job: object, more: object = {}): Promise<string[]> {
  await makeWorkflow("shop", { name: workflow, stages: [{ name: "only", jobs: [{ name: "tell", ...job }] }] });
  const id = await tasks.started(workflow, ["tell"], more);
  const task = await tasks.end(workflow, id);
  expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
  const name = task.stages[0]?.jobs[0]?.name;
  const { text } = await slipway.call("GET", `/openapi/logs/log/v4/workflow/${workflow}/${id}/${name}`);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [...line].reverse().join(""));
}

test("a script has the keys of its project's environments, and of no other registry", async () => {
  const spec = { runtime, script_type: "shell", script: tellAll };
  expect(await told("free", { type: "freestyle", spec })).toEqual([
    "shop_REGISTRY_AK robot",
    `shop_REGISTRY_HOST ${hostOf("shop")}`,
    "shop_REGISTRY_SK key-of-shop",
  ]);
});

test("a build has the key of the registry that it pushes to, and of no other one", async () => {
  await post("/openapi/build?projectKey=shop", {
    ...{ name: "made", project_key: "shop", infrastructure: "kubernetes", build_os: "ubuntu 20.04", installs: [] },
    ...{ script_type: "shell", build_script: tellAll },
    services: [{ service_name: "shop", service_module: "web" }],
  });
  const module = { service_name: "shop", service_module: "web", build_name: "made" };
  const inputs = [{ job_name: "tell", parameters: { service_list: [module] } }];
  const spec = { source: "runtime", docker_registry_id: ids.pushed };
  expect(await told("build", { type: "zadig-build", spec }, { inputs })).toEqual([
    "DOCKER_REGISTRY_AK robot",
    `DOCKER_REGISTRY_HOST ${hostOf("pushed")}`,
    "DOCKER_REGISTRY_NAMESPACE pushed",
    "DOCKER_REGISTRY_SK key-of-pushed",
  ]);
});

test.each(["shop", "stock", "nobody"])(
  "an image of the registry %s is pulled with the keys of the project's environments",
  async (namespace) => {
    const plugin = { name: "p", image: `${hostOf(namespace)}/${namespace}/tool:1`, cmds: ["sleep"], args: ["3"] };
    const workflow = `pull-${namespace}`;
    const stages = [{ name: "only", jobs: [{ name: "tool", type: "plugin", spec: { plugin } }] }];
    await makeWorkflow("shop", { name: workflow, stages });
    const id = await tasks.started(workflow, ["tool"]);
    const secrets = await waitFor("its Secrets", async () => {
      const { items } = await cluster.list({ apiVersion: "v1", kind: "Secret" }, { namespace: "slipway-jobs-shop" });
      return items.some(({ metadata }) => metadata.name.startsWith(workflow)) && items;
    });
    await tasks.end(workflow, id);
    const texts = secrets.flatMap(({ data = {} }: LiveObject & { data?: Record<string, string> }) =>
      Object.values(data).map((value) => Buffer.from(value, "base64").toString()),
    );
    const holding = ["shop", "stock", "pushed", "nobody"].filter((one) =>
      texts.some((text) => text.includes(Buffer.from(`robot:key-of-${one}`).toString("base64"))),
    );
    expect(holding).toEqual(namespace === "shop" ? ["shop"] : []);
  },
);
