import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "../harness/boutique.ts";
import { untilStored } from "../harness/environmentSuite.ts";
import type { Slipway } from "../harness/slipway.ts";
import { makeWorkflow, type ShownTask, startShop, type tasksOf } from "../harness/tasks.ts";
import { waitFor } from "../harness/waitFor.ts";

vi.setConfig({ testTimeout: 120_000 });

const namespace = "shop-dev";
let slipway: Slipway;
let tasks: ReturnType<typeof tasksOf>;
let client: ClusterClient;

const manifest = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 2
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "${name}:1" }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
`;
const services = ["good", "bad", "left"];

beforeAll(async () => {
  ({ slipway, tasks } = await startShop({
    settings: { SLIPWAY_OUTBOUND_ALLOW: "127.0.0.0/8" },
  }));
  client = connect({
    kind: "kubeconfig",
    text: readFileSync(slipway.runtime.sandboxKubeconfigPath ?? "", "utf8"),
    trusted: true,
  });
  for (const service_name of services) {
    const body = { service_name, yaml: manifest(service_name), variable_yaml: [] };
    expect((await slipway.call("POST", "/openapi/service/yaml/raw?projectKey=shop", { body })).status).toBe(200);
  }
  const body = {
    ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
    services: services.map((service_name) => ({ service_name })),
  };
  expect((await slipway.call("POST", "/openapi/environments?projectKey=shop", { body })).status).toBe(200);
  await untilStored(slipway, "dev", "success", "shop");
}, 120_000);

afterAll(async () => {
  client?.close();
  await slipway?.close();
});

const kinds = {
  canary: (name: string) => ({
    ...{ cluster_id: localClusterId, namespace },
    targets: [{ k8s_service_name: name, container_name: "main", image: `${name}:2`, canary_percentage: 50 }],
  }),
  "blue-green": (name: string) => ({
    env: "dev",
    services: [{ service_name: name, service_and_image: [{ service_module: "main", image: `${name}:2` }] }],
  }),
};

const stagesOf = (kind: keyof typeof kinds, name: string, analysis: unknown) => [
  {
    name: "all",
    jobs: [
      { name: "deploy", type: `k8s-${kind}-deploy`, spec: kinds[kind](name) },
      { name: "release", type: `k8s-${kind}-release`, spec: { from_job: "deploy", analysis } },
    ],
  },
];

async function started(kind: keyof typeof kinds, name: string, analysis: unknown): Promise<number> {
  await makeWorkflow("shop", { name, stages: stagesOf(kind, name, analysis) });
  return tasks.started(name, ["deploy", "release"]);
}

interface Looked {
  name: string;
  status: string;
  looks: { time: number; value: number | null; passed: boolean; reason: string }[];
}
const releaseOf = ({ stages }: ShownTask) => {
  const job = stages[0]?.jobs[1];
  if (job === undefined) throw new Error("no release");
  return { ...job, analysis: (job.spec.analysis ?? []) as Looked[] };
};

const find = (kind: "Deployment" | "Service", name: string) =>
  findObject(client, { apiVersion: kind === "Service" ? "v1" : "apps/v1", kind, name, namespace });

async function imageOf(name: string): Promise<unknown> {
  const live = await find("Deployment", name);
  const [container] = (live === undefined ? [] : containersOf(live)) as { image: string }[];
  return container?.image;
}
const selectorOf = async (name: string) => at((await find("Service", name)) ?? {}, ["spec", "selector"]);

describe("analysis of rollouts (decisions 12.5)", () => {
  test("new pods are looked at before the workload is rolled", async () => {
    const id = await started("canary", "good", [
      { name: "pods", count: 2 },
      { name: "once", success: "<= 0" },
    ]);
    const first = await tasks.until(
      "good",
      id,
      "looked at once",
      (task) => releaseOf(task).analysis[0]?.looks.length === 1,
    );
    expect([await imageOf("good"), await imageOf("good-canary")]).toEqual(["good:1", "good:2"]);
    expect(releaseOf(first).analysis.map(({ status }) => status)).toEqual(["running", "passed"]);
    const task = await tasks.end("good", id, 60);
    const { analysis, status, error } = releaseOf(task);
    expect([status, error, await imageOf("good"), await imageOf("good-canary")]).toEqual([
      "passed",
      "",
      "good:2",
      undefined,
    ]);
    const looks = analysis[0]?.looks ?? [];
    expect(looks).toMatchObject(Array(2).fill({ value: 0, passed: true, reason: "" }));
    expect((looks[1]?.time ?? 0) - (looks[0]?.time ?? 0)).toBeGreaterThanOrEqual(10);
  });

  test("one that fails too often takes the traffic back by itself", async () => {
    const id = await started("blue-green", "bad", [{ name: "none", failure: "== 0", count: 5, failure_limit: 1 }]);
    await tasks.until("bad", id, "looked at once", (task) => releaseOf(task).analysis[0]?.looks.length === 1);
    expect([await selectorOf("bad"), await imageOf("bad")]).toEqual([{ app: "bad-blue" }, "bad:1"]);
    const task = await tasks.end("bad", id, 60);
    const { analysis, status, error } = releaseOf(task);
    expect([status, error]).toEqual(["failed", "analysis none failed at 2 of 2 looks: 0 is == 0"]);
    expect(analysis).toMatchObject([{ status: "failed", looks: Array(2).fill({ value: 0, passed: false }) }]);
    expect([await selectorOf("bad"), await imageOf("bad"), await imageOf("bad-blue")]).toEqual([
      ...[{ app: "bad" }, "bad:1", undefined],
    ]);
  });

  test("pods that are gone are no data, which fails; a task that is cancelled meanwhile takes the traffic back", async () => {
    const id = await started("blue-green", "left", [{ name: "pods", count: 50, failure_limit: 50 }]);
    await tasks.until("left", id, "looking", (task) => releaseOf(task).analysis.length === 1);
    await client.remove({ apiVersion: "apps/v1", kind: "Deployment", name: "left-blue", namespace });
    const seen = await tasks.until("left", id, "looked at", (task) => releaseOf(task).analysis[0]?.looks.length === 1);
    expect(releaseOf(seen).analysis[0]?.looks).toMatchObject([
      { value: null, passed: false, reason: "there is nothing beside the workload" },
    ]);
    expect((await tasks.cancel("left", id)).status).toBe(200);
    await tasks.end("left", id, 60);
    await reconciler();
    await waitFor("the traffic to be back", async () => JSON.stringify(await selectorOf("left")) === '{"app":"left"}');
    expect(await imageOf("left")).toBe("left:1");
  });

  test.each([
    ["no list", { name: "a" }, "spec.analysis: must be a list"],
    ["no name", [{}], "spec.analysis[0].name: is required"],
    ["a name twice", [{ name: "a" }, { name: "a" }], "spec.analysis[1].name: a is used twice"],
    ["another provider", [{ name: "a", provider: "prometheus" }], "spec.analysis[0].provider: must be kubernetes"],
    ["a query", [{ name: "a", query: "up" }], "spec.analysis[0].query: must be empty"],
    ["no condition", [{ name: "a", success: "low" }], "spec.analysis[0].success: must be a comparison"],
    ["half a condition", [{ name: "a", failure: "> " }], "spec.analysis[0].failure: must be a comparison"],
    ["a short interval", [{ name: "a", interval: 9 }], "spec.analysis[0].interval: must be a whole number of seconds"],
    ["too many looks", [{ name: "a", count: 101 }], "spec.analysis[0].count: must be a whole number of looks"],
    ["a wrong limit", [{ name: "a", failure_limit: -1 }], "spec.analysis[0].failure_limit: must be a whole number"],
  ])("%s is refused when the workflow is saved", async (_, analysis, reason) => {
    const body = { name: "wrong", project: "shop", stages: stagesOf("canary", "good", analysis) };
    const answer = await slipway.call("POST", "/openapi/workflows/custom", { body });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
  });

  test("a step of a gray release says that it has none yet", async () => {
    const spec = { gray_scale: 50, namespace, targets: [], analysis: [{ name: "pods" }] };
    const stages = [{ name: "all", jobs: [{ name: "few", type: "k8s-gray-release", spec }] }];
    const answer = await slipway.call("POST", "/openapi/workflows/custom", {
      body: { name: "gray", project: "shop", stages },
    });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("have no analysis yet")]);
  });
});
