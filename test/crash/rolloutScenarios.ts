import { readFileSync } from "node:fs";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../harness/boutique.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
import type { ShownTask } from "../harness/tasks.ts";
import { prepareEnvironment } from "./environmentScenarios.ts";
import { type Preparing, type Scenario, succeed } from "./scenario.ts";
import { flow, taskCalls } from "./taskCalls.ts";

const specs = {
  "blue-green": {
    env: "dev",
    services: [{ service_name: "web", service_and_image: [{ service_module: "main", image: "web:2" }] }],
  },
  canary: {
    ...{ cluster_id: localClusterId, namespace: "shop-dev" },
    targets: [{ k8s_service_name: "web", container_name: "main", image: "web:2", canary_percentage: 50 }],
  },
};

const istio = (weight: number, more: object) => ({ type: "istio-release", spec: { weight, ...more } });
const istioTarget = { workload_name: "web", container_name: "main", image: "web:2" };

const gray = (gray_scale: number, more: object) => ({ type: "k8s-gray-release", spec: { gray_scale, ...more } });
const grayTarget = { workload_type: "Deployment", workload_name: "web", container_name: "main", image: "web:2" };

/** The jobs of each kind, one after the other. */
const kinds: Record<string, { name: string; type: string; spec: object }[]> = {
  ...Object.fromEntries(
    Object.entries(specs).map(([kind, spec]) => [
      kind,
      [
        { name: "deploy", type: `k8s-${kind}-deploy`, spec },
        { name: "release", type: `k8s-${kind}-release`, spec: { from_job: "deploy" } },
      ],
    ]),
  ),
  "looked-at": [
    { name: "deploy", type: "k8s-blue-green-deploy", spec: specs["blue-green"] },
    {
      ...{ name: "release", type: "k8s-blue-green-release" },
      spec: { from_job: "deploy", analysis: [{ name: "pods" }] },
    },
  ],
  gray: [
    {
      name: "deploy",
      ...gray(50, { cluster_id: localClusterId, namespace: "shop-dev", targets: [grayTarget] }),
    },
    { name: "more", ...gray(80, { from_job: "deploy" }) },
    { name: "release", ...gray(100, { from_job: "deploy" }) },
  ],
  istio: [
    {
      name: "deploy",
      ...istio(50, { cluster_id: localClusterId, namespace: "shop-dev", targets: [istioTarget] }),
    },
    { name: "more", ...istio(80, { from_job: "deploy" }) },
    { name: "release", ...istio(100, { from_job: "deploy" }) },
  ],
};

/** Whatever is killed, the traffic is at the workload in the end, with the new image, and nothing stands beside it. */
const rollouts: readonly Scenario[] = Object.entries(kinds).map(([kind, jobs]) => ({
  name: `${kind} rollout`,
  prepare: async (slipway) => {
    await prepareEnvironment(slipway);
    if (kind === "istio") await prepareMesh(slipway);
    const body = { name: flow, project: "shop", stages: [{ name: "all", jobs }] };
    await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
  },
  request: (slipway) => taskCalls(slipway).start(...jobs.map(({ name }) => name)),
  check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
}));

async function prepareMesh({ kubeconfigPath }: Preparing): Promise<void> {
  const client = connect({ kind: "kubeconfig", text: readFileSync(kubeconfigPath, "utf8"), trusted: true });
  await defineIstio(client).finally(() => client.close());
}

interface Held extends ShownTask {
  stages: (ShownTask["stages"][number] & { jobs: { hold?: { stands: string } }[] })[];
}
const holdOf = (task: ShownTask) => (task as Held).stages[1]?.jobs[0]?.hold;

/** A release is held before somebody executes its stage, stands still, and is let go on. */
const held: Scenario = {
  name: "held rollout",
  prepare: async (slipway) => {
    await prepareEnvironment(slipway);
    const [deploy, release] = kinds.canary ?? [];
    const stages = [
      { name: "beside", jobs: [deploy] },
      { name: "shift", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: [release] },
    ];
    const body = { name: flow, project: "shop", stages };
    await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
  },
  request: (slipway) => taskCalls(slipway).start("deploy", "release"),
  goOn: async (slipway) => {
    const tasks = taskCalls(slipway);
    if ((await tasks.count()) === 0) return;
    const control = (action: string) => {
      const body = { workflow_key: flow, task_id: 1, job_name: "release", action };
      return succeed(slipway.call("POST", "/openapi/workflows/custom/task/rollout", { body }));
    };
    const found = await tasks.until("the question", 1, (task) => {
      return task.status === "pause" || task.end_time !== undefined || holdOf(task) !== undefined;
    });
    if (found.status === "pause") {
      await control("pause");
      const path = `/openapi/workflows/custom/${flow}/task/1/manual-exec?projectKey=shop`;
      await succeed(slipway.call("POST", path, { body: { stage_name: "shift" } }));
    }
    const isHeld = found.status === "pause" || holdOf(found) !== undefined;
    if (isHeld) {
      await tasks.until("the hold", 1, (task) => holdOf(task)?.stands === "before");
      await control("promote");
    }
    await tasks.until("the end", 1, ({ status, end_time }) => status === "passed" && end_time !== undefined);
  },
  check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
};

export const rolloutScenarios: readonly Scenario[] = [...rollouts, held];
