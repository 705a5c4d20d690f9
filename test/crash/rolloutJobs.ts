import { readFileSync } from "node:fs";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../harness/boutique.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
import { prepareEnvironment } from "./environmentScenarios.ts";
import { type Preparing, succeed } from "./scenario.ts";
import { flow } from "./taskCalls.ts";

/** A job of a workflow that rolls the service `web` out, or back. */
export interface RolloutJob {
  name: string;
  type: string;
  spec: object;
}

const place = { cluster_id: localClusterId, namespace: "shop-dev" };
const module = { service_module: "main", image: "web:2" };
const target = { workload_name: "web", container_name: "main", image: "web:2" };

/** A look that runs a Job. */
export const checkedByJob = {
  ...{ name: "check", provider: "job" },
  query: JSON.stringify({
    ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "check" } },
    spec: {
      template: {
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "main", image: "check:1", command: ["sh", "-c", "exit 0"] }],
        },
      },
    },
  }),
};

/** Both jobs of a rollout beside, the second with or without something to look at. */
export const beside = {
  "blue-green": (analysis: readonly object[] = []): RolloutJob[] => {
    const spec = { env: "dev", services: [{ service_name: "web", service_and_image: [module] }] };
    return [
      { name: "deploy", type: "k8s-blue-green-deploy", spec },
      { name: "release", type: "k8s-blue-green-release", spec: { from_job: "deploy", analysis } },
    ];
  },
  canary: (analysis: readonly object[] = []): RolloutJob[] => {
    const { image, container_name } = target;
    const targets = [{ k8s_service_name: "web", container_name, image, canary_percentage: 50 }];
    return [
      { name: "deploy", type: "k8s-canary-deploy", spec: { ...place, targets } },
      { name: "release", type: "k8s-canary-release", spec: { from_job: "deploy", analysis } },
    ];
  },
};

/** The jobs of a release in steps of so many per cent: `deploy`, `step-1` and so on, `release`. */
export const inSteps = {
  gray: (...scales: number[]): RolloutJob[] =>
    scales.map((gray_scale, at) => {
      const first = { ...place, targets: [{ ...target, workload_type: "Deployment" }] };
      return step("k8s-gray-release", { gray_scale }, first, at, scales.length);
    }),
  istio: (...weights: number[]): RolloutJob[] =>
    weights.map((weight, at) => step("istio-release", { weight }, { ...place, targets: [target] }, at, weights.length)),
};

/** The first step is looked at, too. */
export function lookedAt(analysis: readonly object[], [first, ...others]: readonly RolloutJob[]): RolloutJob[] {
  return first === undefined ? [] : [{ ...first, spec: { ...first.spec, analysis } }, ...others];
}

function step(type: string, share: object, first: object, at: number, count: number): RolloutJob {
  const name = at === count - 1 ? "release" : `step-${at}`;
  return at === 0
    ? { name: "deploy", type, spec: { ...share, ...first } }
    : { name, type, spec: { ...share, from_job: "deploy" } };
}

/** What makes `web` what it was before its release in steps. */
export const rollback = {
  gray: { name: "back", type: "k8s-gray-rollback", spec: { ...place, targets: [{ workload_name: "web" }] } },
  istio: { name: "back", type: "istio-rollback", spec: { ...place, targets: [{ workload_name: "web" }] } },
} as const satisfies Record<keyof typeof inSteps, RolloutJob>;

/** An environment with `web`, in a cluster that knows Istio's kinds where jobs need them. */
export async function prepareRollout(slipway: Preparing, jobs: readonly RolloutJob[]): Promise<void> {
  await prepareEnvironment(slipway);
  if (!jobs.some(({ type }) => type.startsWith("istio-"))) return;
  const client = connect({ kind: "kubeconfig", text: readFileSync(slipway.kubeconfigPath, "utf8"), trusted: true });
  await defineIstio(client).finally(() => client.close());
}

/** A workflow of the project of these scenarios. */
export function makeFlow(slipway: Preparing, stages: readonly object[], name = flow): Promise<void> {
  const body = { name, project: "shop", stages };
  return succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
}

/** The second stage waits for a person. */
export function askedStages([deploy, ...others]: readonly RolloutJob[]): object[] {
  return [
    { name: "beside", jobs: [deploy] },
    { name: "shift", manual_exec: { enabled: true, manual_exec_users: [] }, jobs: others },
  ];
}
