import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { handler as reconciler } from "../../functions/triggers/reconciler/handler.ts";
import type { ClusterClient } from "../../shared/kube/client/ClusterClient.ts";
import { connect } from "../../shared/kube/client/connect.ts";
import { findObject } from "../../shared/kube/client/findObject.ts";
import { containersOf } from "../../shared/manifest/containers.ts";
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

  /** Nothing is left of a rollout: the Service leads to the workload, and nothing stands beside it. */
  async function expectNothingLeft(name: string): Promise<void> {
    await reconciler();
    expect(await selectorOf(name)).toEqual({ app: name });
    expect([await find("Deployment", `${name}-blue`), await find("Service", `${name}-blue`)]).toEqual([
      undefined,
      undefined,
    ]);
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
}
