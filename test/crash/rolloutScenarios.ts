import { readFileSync } from "node:fs";
import { connect } from "../../shared/kube/client/connect.ts";
import { localClusterId } from "../harness/boutique.ts";
import { defineIstio } from "../harness/istioDefinitions.ts";
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
export const rolloutScenarios: readonly Scenario[] = Object.entries(kinds).map(([kind, jobs]) => ({
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
