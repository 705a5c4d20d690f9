import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
import type { KubeObject } from "../../shared/manifest/kubeObject.ts";
import { parseManifest } from "../../shared/manifest/parseManifest.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "./boutique.ts";
import { type Standing, untilStored } from "./environmentSuite.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownTask, tasksOf } from "./tasks.ts";

const success = '{"message":"success"}';

const deployment = (name: string, more = "replicas: 2") => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  ${more}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers: [{ name: main, image: "${name}:1" }]
`;
const service = (name: string, app = name) => `---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${app} }, ports: [{ port: 80 }] }
`;

const services: Record<string, string> = {
  web: deployment("web") + service("web"),
  edited: deployment("edited") + service("edited"),
  alone: deployment("alone"),
  twofold: deployment("twofold") + service("twofold") + service("second", "twofold"),
  paused: deployment("paused") + service("paused"),
  asleep: deployment("asleep", "replicas: 0") + service("asleep"),
  shared: deployment("shared", "replicas: 3") + service("shared"),
  pair: `${deployment("pair") + service("pair")}---\n${deployment("other").replaceAll("app: other", "app: pair, more: one")}`,
  taken: `${deployment("taken") + service("taken")}---\n${deployment("taken-blue").replaceAll("app: taken-blue", "app: other")}`,
};

/** Rollouts of an environment's services, told by the cluster itself: the same on every cluster. */
export function rolloutSuite(cluster: string, open: () => Promise<Standing>): void {
  let slipway: Slipway;
  let client: ClusterClient;
  let tasks: ReturnType<typeof tasksOf>;
  const namespace = `slipway-test-rollout-${randomBytes(3).toString("hex")}`;

  const call = <T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> =>
    slipway.call<T>(method, path, body === undefined ? {} : { body });

  async function ok(answer: Promise<Answer<unknown>>): Promise<void> {
    expect((await answer).text).toBe(success);
  }

  const find = (kind: "Deployment" | "Service", name: string) =>
    findObject(client, { apiVersion: kind === "Service" ? "v1" : "apps/v1", kind, name, namespace });

  async function imageOf(name: string): Promise<unknown> {
    const live = await find("Deployment", name);
    const [container] = (live === undefined ? [] : containersOf(live)) as { image: string }[];
    return container?.image;
  }

  async function selectorOf(name: string): Promise<unknown> {
    const live = await find("Service", name);
    return live && at(live, ["spec", "selector"]);
  }

  /** A workflow that deploys beside, asks, and releases; it stands at the question unless the first job failed. */
  async function begun(workflow: string, name: string, image: string): Promise<number> {
    const deploy = {
      ...{ name: "deploy", type: "k8s-blue-green-deploy" },
      spec: {
        env: "dev",
        services: [{ service_name: name, service_and_image: [{ service_module: "main", image }] }],
      },
    };
    const release = { name: "release", type: "k8s-blue-green-release", spec: { from_job: "deploy" } };
    await makeWorkflow("roll", {
      name: workflow,
      stages: [
        { name: "beside", jobs: [deploy] },
        { name: "shift", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [release] },
      ],
    });
    const id = await tasks.started(workflow, ["deploy", "release"]);
    await tasks.until(workflow, id, "at the question", ({ status }) => ["pause", "failed"].includes(status));
    return id;
  }

  async function released(workflow: string, id: number): Promise<ShownTask> {
    const path = `/openapi/workflows/custom/${workflow}/task/${id}/manual-exec?projectKey=roll`;
    const answer = await call("POST", path, { stage_name: "shift" });
    if (answer.status !== 200) throw new Error(`stage: ${answer.status} ${answer.text}`);
    return tasks.end(workflow, id);
  }

  /** As `begun`, of a canary with a share of the traffic. */
  async function canaryBegun(workflow: string, k8s_service_name: string, image: string, percentage = 50) {
    const target = { k8s_service_name, container_name: "main", image, canary_percentage: percentage };
    const deploy = {
      ...{ name: "deploy", type: "k8s-canary-deploy" },
      spec: { cluster_id: localClusterId, namespace, targets: [target] },
    };
    const release = { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy" } };
    await makeWorkflow("roll", {
      name: workflow,
      stages: [
        { name: "beside", jobs: [deploy] },
        { name: "shift", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [release] },
      ],
    });
    const id = await tasks.started(workflow, ["deploy", "release"]);
    const task = await tasks.until(workflow, id, "at the question", ({ status }) =>
      ["pause", "failed"].includes(status),
    );
    return { id, task };
  }

  /** As the detail of a service shows them: what each is in a rollout, and its pods. */
  async function shares(name: string): Promise<string[]> {
    const path = `/openapi/environments/dev/services/${name}?projectKey=roll`;
    const { scales } = (await call<{ scales: Record<string, unknown>[] }>("GET", path)).json;
    return scales.map(
      (one) =>
        `${one.name} ${one.vendor_release_type}/${one.zadigx_release_tag} ${(one.pods as unknown[]).length} of ${one.replicas}`,
    );
  }

  const podsBehind = async (name: string): Promise<string[]> => {
    const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector: `app=${name}` });
    const living = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return living.map((pod) => (pod.spec as { containers: { image: string }[] }).containers[0]?.image ?? "").sort();
  };

  /** Nothing is left of a rollout: the Service leads to the workload, and nothing stands beside it. */
  async function expectNothingLeft(name: string): Promise<void> {
    await reconciler();
    expect(await selectorOf(name)).toEqual({ app: name });
    for (const beside of [`${name}-blue`, `${name}-canary`])
      expect([await find("Deployment", beside), await find("Service", beside)]).toEqual([undefined, undefined]);
    await ok(scale(name, 3));
  }

  async function expectRefused(name: string, reason: string): Promise<void> {
    const id = await begun(`refused-${name}`, name, `${name}:2`);
    const task = await tasks.end(`refused-${name}`, id);
    expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "failed", error: expect.stringContaining(reason) });
    expect(await imageOf(name)).toBe(`${name}:1`);
  }

  const scale = (workload_name: string, target_replicas: number) =>
    call("POST", "/openapi/environments/scale", {
      ...{ project_key: "roll", env_key: "dev", service_name: workload_name, workload_name, target_replicas },
      workload_type: "Deployment",
    });

  beforeAll(async () => {
    const standing = await open();
    slipway = standing.slipway;
    tasks = tasksOf(slipway, "roll");
    client = connect({ kind: "kubeconfig", text: standing.kubeconfig, trusted: true });
    const project = { project_name: "roll", project_key: "roll", is_public: false, project_type: "yaml" };
    await ok(call("POST", "/openapi/projects/project", project));
    for (const [service_name, yaml] of Object.entries(services))
      await ok(call("POST", "/openapi/service/yaml/raw?projectKey=roll", { service_name, yaml, variable_yaml: [] }));
    await ok(
      call("POST", "/openapi/environments?projectKey=roll", {
        ...{ cluster_id: localClusterId, registry_id: "0123456789abcdef12345679", env_key: "dev", namespace },
        services: Object.keys(services).map((service_name) => ({ service_name })),
      }),
    );
    await untilStored(slipway, "dev", "success", "roll");
  }, 120_000);

  afterAll(async () => {
    await client?.remove({ apiVersion: "v1", kind: "Namespace", name: namespace });
    client?.close();
    await slipway?.close();
  });

  describe(`blue-green rollouts on ${cluster}`, () => {
    test("new pods stand beside until they are released; nobody else changes the workload meanwhile", async () => {
      const id = await begun("whole", "web", "web:2");
      expect([await imageOf("web"), await imageOf("web-blue")]).toEqual(["web:1", "web:2"]);
      expect([await selectorOf("web"), await selectorOf("web-blue")]).toEqual([{ app: "web" }, { app: "web-blue" }]);
      expect(await shares("web")).toEqual(["web blue-green/green 2 of 2", "web-blue blue-green/blue 2 of 2"]);
      const refused = await scale("web", 5);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`task ${id} of workflow whole`)]);
      expect(refused.json).toMatchObject({ code: 6076 });
      const restarted = await call("POST", "/openapi/environments/dev/service/web/restart?projectKey=roll");
      expect(restarted.text).toContain(`task ${id} of workflow whole`);

      const task = await released("whole", id);
      expect(task.stages.flatMap(({ jobs }) => jobs.map(({ status, error }) => [status, error]))).toEqual([
        ["passed", ""],
        ["passed", ""],
      ]);
      expect(await imageOf("web")).toBe("web:2");
      expect(await shares("web")).toEqual(["web / 2 of 2"]);
      await expectNothingLeft("web");
      const yaml = await call("GET", "/openapi/environments/services/yaml?projectKey=roll&envName=dev&serviceName=web");
      expect(yaml.text).toContain("web:2");
    });

    test("a task that is cancelled leaves nothing of what it deployed", async () => {
      const id = await begun("given-up", "web", "web:3");
      await ok(tasks.cancel("given-up", id));
      await tasks.end("given-up", id);
      await expectNothingLeft("web");
      expect(await imageOf("web")).not.toBe("web:3");
    });

    test("a workload that was edited since the deployment is not released, and keeps the traffic and the edit", async () => {
      const id = await begun("edited", "edited", "edited:2");
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "edited", namespace };
      await client.patch(ref, { type: "merge", body: { spec: { replicas: 4 } } });
      const task = await released("edited", id);
      expect(task.stages[1]?.jobs[0]).toMatchObject({
        status: "failed",
        error: expect.stringContaining("was changed since it was deployed beside"),
      });
      await expectNothingLeft("edited");
      expect(await imageOf("edited")).toBe("edited:1");
    });

    test("a paused workload is refused and stays as it is", async () => {
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "paused", namespace };
      await client.patch(ref, { type: "merge", body: { spec: { paused: true } } });
      await expectRefused("paused", "is paused");
    });

    test.each([
      ["alone", "no Service leads to the pods"],
      ["twofold", "2 Services lead"],
      ["asleep", "is scaled to 0"],
      ["taken", "has 2 Deployments"],
    ])("%s is refused and stays as it is", async (name, reason) => {
      await expectRefused(name, reason);
    });
  });

  describe(`canary rollouts on ${cluster}`, () => {
    test("some new pods share the traffic until all are new; nobody else changes the workload meanwhile", async () => {
      const { id, task } = await canaryBegun("share", "shared", "shared:2", 34);
      expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "passed", spec: { canary_replica: 2 } });
      expect([await imageOf("shared"), await imageOf("shared-canary")]).toEqual(["shared:1", "shared:2"]);
      expect(await selectorOf("shared")).toEqual({ app: "shared" });
      expect(await find("Service", "shared-canary")).toBeUndefined();
      expect(await podsBehind("shared")).toEqual([...Array(3).fill("shared:1"), ...Array(2).fill("shared:2")]);
      expect(await shares("shared")).toEqual(["shared canary/origin 3 of 3", "shared-canary canary/canary 2 of 2"]);
      const refused = await scale("shared", 5);
      expect(refused.json).toMatchObject({ code: 6076 });

      const ended = await released("share", id);
      expect(ended.stages.flatMap(({ jobs }) => jobs.map(({ status, error }) => [status, error]))).toEqual([
        ["passed", ""],
        ["passed", ""],
      ]);
      expect(await imageOf("shared")).toBe("shared:2");
      await expectNothingLeft("shared");
      const path = "/openapi/environments/services/yaml?projectKey=roll&envName=dev&serviceName=shared";
      expect((await call("GET", path)).text).toContain("shared:2");
    });

    test("a canary that is given up leaves nothing", async () => {
      const { id } = await canaryBegun("give-up", "shared", "shared:3");
      expect(await imageOf("shared-canary")).toBe("shared:3");
      await ok(tasks.cancel("give-up", id));
      await tasks.end("give-up", id);
      await expectNothingLeft("shared");
      expect(await imageOf("shared")).not.toBe("shared:3");
    });

    test("a workload that no service of the environment applied is rolled out as well", async () => {
      const apply = (object: object) =>
        client.apply({ ...object, metadata: { ...(object as KubeObject).metadata, namespace } } as KubeObject);
      for (const object of parseManifest(deployment("found") + service("found"))) await apply(object);
      const { id } = await canaryBegun("found", "found", "found:2", 100);
      expect([await imageOf("found"), await imageOf("found-canary")]).toEqual(["found:1", "found:2"]);
      const task = await released("found", id);
      expect(task.stages[1]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect([await imageOf("found"), await find("Deployment", "found-canary")]).toEqual(["found:2", undefined]);
    });

    test.each([
      ["nowhere", "does not exist in namespace"],
      ["pair", "leads to the pods of 2 Deployments (other, pair)"],
      ["twofold", "2 Services lead"],
      ["asleep", "is scaled to 0"],
    ])("%s is refused and stays as it is", async (name, reason) => {
      const { task } = await canaryBegun(`canary-${name}`, name, `${name}:2`);
      expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "failed", error: expect.stringContaining(reason) });
      expect(await find("Deployment", `${name}-canary`)).toBeUndefined();
    });

    test.each([0, 101, -1, 33.3, "50", null])("a share of %j is refused when the workflow is saved", async (share) => {
      const target = { k8s_service_name: "web", container_name: "main", image: "web:2", canary_percentage: share };
      const deploy = { name: "deploy", type: "k8s-canary-deploy", spec: { namespace, targets: [target] } };
      const release = { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy" } };
      const stages = [{ name: "all", jobs: [deploy, release] }];
      const answer = await call("POST", "/openapi/workflows/custom", { name: "share-of", project: "roll", stages });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining("canary_percentage")]);
    });
  });
}
