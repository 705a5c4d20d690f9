import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
import { parseManifest } from "../../shared/manifest/parseManifest.ts";
import type { KubeObject } from "../../shared/manifest/schema/kubeObject.ts";
import { at } from "../../shared/manifest/workloads.ts";
import { localClusterId } from "./boutique.ts";
import { type Standing, untilStored } from "./environmentSuite.ts";
import type { Answer, Slipway } from "./slipway.ts";
import { makeWorkflow, type ShownTask, tasksOf } from "./tasks.ts";
import { waitFor } from "./waitFor.ts";

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

/** A Job as a look; one that is played fails by the name of its image. */
const jobLook = (script: "exit 0" | "exit 1") => ({
  ...{ name: "check", provider: "job" },
  query: `apiVersion: batch/v1
kind: Job
metadata: { name: check }
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: "check:${script === "exit 0" ? "1" : "crash"}", command: [sh, -c, ${script}] }]
`,
});

interface GrayJob {
  name: string;
  type: string;
  spec: Record<string, unknown>;
}
const target = (workload_name: string) => ({ workload_type: "Deployment", workload_name, container_name: "main" });

const autoscaler = (name: string) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }, minReplicas: 2, maxReplicas: 4 }
`;

const services: Record<string, string> = {
  web: deployment("web") + service("web"),
  edited: deployment("edited") + service("edited"),
  alone: deployment("alone"),
  twofold: deployment("twofold") + service("twofold") + service("second", "twofold"),
  paused: deployment("paused") + service("paused"),
  asleep: deployment("asleep", "replicas: 0") + service("asleep"),
  looked: deployment("looked") + service("looked"),
  shared: deployment("shared", "replicas: 3") + service("shared"),
  steps: deployment("steps", "replicas: 4") + service("steps"),
  weighed: deployment("weighed", "replicas: 4") + service("weighed"),
  single: deployment("single", "replicas: 1") + service("single"),
  grown: deployment("grown") + service("grown"),
  scaled: `${deployment("scaled") + service("scaled")}---\n${autoscaler("scaled")}`,
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
  async function canaryBegun(
    workflow: string,
    k8s_service_name: string,
    image: string,
    percentage = 50,
    analysis: readonly object[] = [],
  ) {
    const target = { k8s_service_name, container_name: "main", image, canary_percentage: percentage };
    const deploy = {
      ...{ name: "deploy", type: "k8s-canary-deploy" },
      spec: { cluster_id: localClusterId, namespace, targets: [target] },
    };
    const release = { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy", analysis } };
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

  const grayJobs = (workload: string, image: string, scales: readonly number[]): GrayJob[] =>
    scales.map((gray_scale, at) => {
      const first = { cluster_id: localClusterId, namespace, targets: [{ ...target(workload), image }] };
      return {
        ...{ name: `step-${at}`, type: "k8s-gray-release" },
        spec: { gray_scale, ...(at === 0 ? first : { from_job: "step-0" }) },
      };
    });
  const rollbackJob = (workload_name: string) => {
    const targets = [{ workload_type: "Deployment", workload_name }];
    return {
      ...{ name: "rollback", type: "k8s-gray-rollback" },
      spec: { cluster_id: localClusterId, namespace, targets },
    };
  };

  const isAt = (task: ShownTask, stage: number): boolean =>
    task.end_time !== undefined || (task.status === "pause" && (task.stages[stage]?.jobs[0]?.status ?? "") !== "");

  /** A workflow of one job a stage, each but the first begun by a person; it has done the first. */
  async function grayBegun(workflow: string, jobs: readonly { name: string }[]) {
    const stages = jobs.map((job, at) => ({
      ...{ name: `stage-${at}`, jobs: [job] },
      ...(at > 0 && { manual_exec: { enabled: true, manual_exec_users: [] } }),
    }));
    await makeWorkflow("roll", { name: workflow, stages });
    const names = jobs.map(({ name }) => name);
    const id = await tasks.started(workflow, names);
    return { id, task: await tasks.until(workflow, id, "after its first step", (task) => isAt(task, 0)) };
  }

  async function stepped(workflow: string, id: number, stage: number): Promise<ShownTask> {
    const path = `/openapi/workflows/custom/${workflow}/task/${id}/manual-exec?projectKey=roll`;
    const answer = await call("POST", path, { stage_name: `stage-${stage}` });
    if (answer.status !== 200) throw new Error(`stage: ${answer.status} ${answer.text}`);
    return tasks.until(workflow, id, `after step ${stage}`, (task) => isAt(task, stage));
  }

  const ended = ({ stages }: ShownTask): unknown[] =>
    stages.flatMap(({ jobs }) => jobs.map(({ status, error }) => [status, error]));

  async function replicasIn(name: string): Promise<unknown> {
    const live = await find("Deployment", name);
    return live && at(live, ["spec", "replicas"]);
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
    for (const beside of [`${name}-blue`, `${name}-canary`, `${name}-zadig-gray`])
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

    test("the new pods are looked at before the workload is rolled, and what fails there leaves it as it is", async () => {
      const { id: refused } = await canaryBegun("doubted", "looked", "looked:2", 50, [
        { name: "none", failure: "== 0" },
      ]);
      const failed = await released("doubted", refused);
      expect(failed.stages[1]?.jobs[0]).toMatchObject({
        ...{ status: "failed", error: "analysis none failed at 1 of 1 looks: 0 is == 0" },
        spec: { analysis: [{ status: "failed", looks: [{ value: 0, passed: false }] }] },
      });
      expect([await imageOf("looked"), await find("Deployment", "looked-canary")]).toEqual(["looked:1", undefined]);

      const { id: unchecked } = await canaryBegun("unchecked", "looked", "looked:2", 50, [jobLook("exit 1")]);
      expect((await released("unchecked", unchecked)).stages[1]?.jobs[0]).toMatchObject({
        status: "failed",
        error: expect.stringMatching(
          /^analysis check failed at 1 of 1 looks: Job "check-\w+" failed: BackoffLimitExceeded/,
        ),
      });
      expect(await imageOf("looked")).toBe("looked:1");

      const { id } = await canaryBegun("looked-at", "looked", "looked:2", 50, [{ name: "pods" }, jobLook("exit 0")]);
      const control = (action: string) =>
        call("POST", "/openapi/workflows/custom/task/rollout", {
          ...{ workflow_key: "looked-at", task_id: id, job_name: "release", action },
        });
      await ok(control("pause"));
      expect([await imageOf("looked"), await imageOf("looked-canary")]).toEqual(["looked:1", "looked:2"]);
      await ok(control("promote"));
      const task = await tasks.end("looked-at", id);
      expect(task.stages[1]?.jobs[0]).toMatchObject({
        ...{ status: "passed", error: "" },
        spec: { analysis: Array(2).fill({ status: "passed", looks: [{ value: 0, passed: true }] }) },
      });
      expect(await imageOf("looked")).toBe("looked:2");
      await expectNothingLeft("looked");
      await waitFor("the Jobs to be gone", async () => {
        return (await client.list({ apiVersion: "batch/v1", kind: "Job" }, { namespace })).items.length === 0;
      });
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

  describe(`gray releases on ${cluster}`, () => {
    const passed = ["passed", ""];
    const with_ = (job: GrayJob, spec: object): GrayJob => ({ ...job, spec: { ...job.spec, ...spec } });

    test("new pods take the place of former ones step by step, and all of it can be rolled back", async () => {
      const { id, task } = await grayBegun("steps", grayJobs("steps", "steps:2", [25, 60, 100]));
      expect(ended(task)[0]).toEqual(passed);
      expect(task.stages[0]?.jobs[0]?.spec).toMatchObject({
        ...{ first_job: true, gray_scale: 25, total_replica: 4, gray_replica: 1 },
        ...{ gray_workload_name: "steps-zadig-gray", workload_name: "steps", image: "steps:2" },
      });
      expect([await imageOf("steps"), await imageOf("steps-zadig-gray")]).toEqual(["steps:1", "steps:2"]);
      expect([await replicasIn("steps"), await replicasIn("steps-zadig-gray")]).toEqual([3, 1]);
      expect(await shares("steps")).toEqual(["steps gray/origin 3 of 3", "steps-zadig-gray gray/gray 1 of 1"]);
      expect((await scale("steps", 5)).json).toMatchObject({ code: 6076 });

      const second = await stepped("steps", id, 1);
      expect(second.stages[1]?.jobs[0]).toMatchObject({
        ...{ status: "passed", error: "" },
        spec: { first_job: false, gray_scale: 60, total_replica: 4, gray_replica: 3 },
      });
      expect(await podsBehind("steps")).toEqual(["steps:1", ...Array(3).fill("steps:2")]);

      const last = await stepped("steps", id, 2);
      expect(ended(last)).toEqual([passed, passed, passed]);
      expect(last.stages[2]?.jobs[0]?.spec).toMatchObject({ gray_scale: 100, total_replica: 4, gray_replica: 4 });
      expect([await imageOf("steps"), await replicasIn("steps")]).toEqual(["steps:2", 4]);
      expect(await find("Deployment", "steps-zadig-gray")).toBeUndefined();
      const path = "/openapi/environments/services/yaml?projectKey=roll&envName=dev&serviceName=steps";
      expect((await call("GET", path)).text).toContain("steps:2");

      const { task: back } = await grayBegun("steps-back", [rollbackJob("steps")]);
      expect(ended(back)).toEqual([passed]);
      expect(back.stages[0]?.jobs[0]?.spec).toMatchObject({
        image: "steps:1",
        container_name: "main",
        total_replica: 4,
      });
      expect([await imageOf("steps"), await replicasIn("steps")]).toEqual(["steps:1", 4]);
      expect((await call("GET", path)).text).toContain("steps:1");
      const again = await tasks.end("steps-back", await tasks.started("steps-back", ["rollback"]));
      expect(again.stages[0]?.jobs[0]).toMatchObject({
        error: expect.stringContaining("has no gray release that could be rolled back"),
      });
      await expectNothingLeft("steps");
    });

    test("the only pod is replaced", async () => {
      const { id } = await grayBegun("single", grayJobs("single", "single:2", [50, 100]));
      expect([await replicasIn("single"), await replicasIn("single-zadig-gray")]).toEqual([0, 1]);
      expect(ended(await stepped("single", id, 1))).toEqual([passed, passed]);
      expect([await imageOf("single"), await replicasIn("single")]).toEqual(["single:2", 1]);
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "single", namespace };
      const template = { spec: { containers: [{ name: "main", image: "single:3" }] } };
      await client.patch(ref, { type: "strategic", body: { spec: { template } } });
      const { task } = await grayBegun("single-back", [rollbackJob("single")]);
      expect(task.stages[0]?.jobs[0]).toMatchObject({
        ...{ status: "failed", error: expect.stringContaining("was changed since its gray release (single:2 then") },
      });
      expect(await imageOf("single")).toBe("single:3");
    });

    /** New pods have their share until former ones are ready again, which the reconciler may have to see. */
    const untilTakenBack = (name: string) =>
      waitFor("the new pods to go", async () => {
        await reconciler();
        return (await find("Deployment", `${name}-zadig-gray`)) === undefined;
      });

    test("a task that is cancelled, or that rolls back by itself, leaves every former pod", async () => {
      const { id } = await grayBegun("left", grayJobs("shared", "shared:7", [34, 100]));
      const image = await imageOf("shared");
      expect([await replicasIn("shared"), await replicasIn("shared-zadig-gray")]).toEqual([1, 2]);
      const { task: other } = await grayBegun("left-by-another", [rollbackJob("shared")]);
      expect(other.stages[0]?.jobs[0]).toMatchObject({ error: expect.stringContaining(`task ${id} of workflow left`) });
      await ok(tasks.cancel("left", id));
      await tasks.end("left", id);
      await untilTakenBack("shared");
      expect([await imageOf("shared"), await replicasIn("shared")]).toEqual([image, 3]);

      const jobs = grayJobs("shared", "shared:7", [34, 100]);
      const own = await grayBegun("undone", [...jobs.slice(0, 1), rollbackJob("shared"), ...jobs.slice(1)]);
      expect(ended(own.task)[0]).toEqual(passed);
      expect(await replicasIn("shared")).toBe(1);
      expect((await stepped("undone", own.id, 1)).stages[1]?.jobs[0]).toMatchObject({ status: "passed", error: "" });
      expect([await imageOf("shared"), await replicasIn("shared")]).toEqual([image, 3]);
      expect(await find("Deployment", "shared-zadig-gray")).toBeUndefined();
      const task = await stepped("undone", own.id, 2);
      expect(task.stages[2]?.jobs[0]).toMatchObject({ status: "failed", error: expect.stringContaining("taken back") });
      await expectNothingLeft("shared");
    });

    test("a step is looked at under its share, and what fails there takes the whole release back", async () => {
      const [few, half, all] = grayJobs("weighed", "weighed:2", [25, 50, 100]) as [GrayJob, GrayJob, GrayJob];
      const looked = [{ name: "pods" }];
      const doubted = [{ name: "none", failure: "== 0" }];
      const jobs = [with_(few, { analysis: looked }), with_(half, { analysis: doubted }), all];
      const { id, task } = await grayBegun("weighed", jobs);
      expect(task.stages[0]?.jobs[0]).toMatchObject({
        ...{ status: "passed", error: "" },
        spec: { gray_replica: 1, analysis: [{ status: "passed", looks: [{ value: 0, passed: true }] }] },
      });
      expect([await replicasIn("weighed"), await replicasIn("weighed-zadig-gray")]).toEqual([3, 1]);
      const refused = await stepped("weighed", id, 1);
      expect(refused.stages[1]?.jobs[0]).toMatchObject({
        ...{ status: "failed", error: expect.stringContaining("analysis none failed at 1 of 1 looks: 0 is == 0") },
        spec: { gray_replica: 2, analysis: [{ status: "failed", looks: [{ value: 0, passed: false }] }] },
      });
      await untilTakenBack("weighed");
      expect([await imageOf("weighed"), await replicasIn("weighed")]).toEqual(["weighed:1", 4]);
      await expectNothingLeft("weighed");
    });

    test("a workload that somebody scales between two steps is not stepped over, and keeps that", async () => {
      const { id } = await grayBegun("grown", grayJobs("grown", "grown:2", [50, 100]));
      const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "grown", namespace };
      await client.patch(ref, { type: "merge", body: { spec: { replicas: 5 } } });
      const task = await stepped("grown", id, 1);
      expect(task.stages[1]?.jobs[0]).toMatchObject({
        ...{ status: "failed", error: expect.stringContaining("was changed since it was deployed beside") },
      });
      await untilTakenBack("grown");
      expect([await imageOf("grown"), await replicasIn("grown")]).toEqual(["grown:1", 5]);
      await expectNothingLeft("grown");
    });

    test.each([
      ["nowhere", "does not exist in namespace"],
      ["alone", "no Service leads to the pods"],
      ["asleep", "is scaled to 0"],
      ["scaled", "a HorizontalPodAutoscaler decides the replicas"],
    ])("%s is refused and stays as it is", async (name, reason) => {
      const { task } = await grayBegun(`gray-${name}`, grayJobs(name, `${name}:2`, [50, 100]));
      expect(task.stages[0]?.jobs[0]).toMatchObject({ status: "failed", error: expect.stringContaining(reason) });
      expect(await find("Deployment", `${name}-zadig-gray`)).toBeUndefined();
    });

    const [first, last] = grayJobs("web", "web:2", [50, 100]) as [GrayJob, GrayJob];
    test.each<[string, GrayJob[], string]>([
      ["a share of 0", [with_(first, { gray_scale: 0 }), last], "from 1 to 100"],
      ["a share of 33.3", [with_(first, { gray_scale: 33.3 }), last], "from 1 to 100"],
      ["a first step that is the whole", [with_(first, { gray_scale: 100 }), last], "must be less than 100"],
      ["one step", [first], "needs a later job whose from_job names it"],
      ["an end before 100", [first, with_(last, { gray_scale: 90 })], "must be 100"],
      ["the wrong order", [last, first], "step-0 does not run before this job"],
      ["a step of nothing", [first, last, { ...with_(last, { from_job: "step-9" }), name: "lost" }], "step-9 is not"],
      [
        "a step back",
        [first, { ...with_(last, { gray_scale: 40 }), name: "less" }, last],
        "must be more than the 50 of step-0",
      ],
      ["two ends", [first, last, { ...last, name: "again" }], "must be more than the 100 of step-1"],
      [
        "a StatefulSet",
        [
          with_(first, { targets: [{ workload_type: "StatefulSet", workload_name: "web", container_name: "main" }] }),
          last,
        ],
        "must be Deployment",
      ],
      [
        "a workload twice",
        [with_(first, { targets: [target("web"), target("web")] }), last],
        "targets[1]: names web again",
      ],
    ])("%s is refused when the workflow is saved", async (_, jobs, reason) => {
      const stages = jobs.map((job, at) => ({ name: `stage-${at}`, jobs: [job] }));
      const answer = await call("POST", "/openapi/workflows/custom", { name: "gray-of", project: "roll", stages });
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(reason)]);
    });
  });
}
