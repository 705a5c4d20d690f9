import { localClusterId } from "../harness/boutique.ts";
import { prepareEnvironment } from "./environmentScenarios.ts";
import { type Scenario, succeed } from "./scenario.ts";
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

/** Whatever is killed, the traffic is at the workload in the end, with the new image, and nothing stands beside it. */
export const rolloutScenarios: readonly Scenario[] = Object.entries(specs).map(([kind, spec]) => ({
  name: `${kind} rollout`,
  prepare: async (slipway) => {
    await prepareEnvironment(slipway);
    const deploy = { name: "deploy", type: `k8s-${kind}-deploy`, spec };
    const release = { name: "release", type: `k8s-${kind}-release`, spec: { from_job: "deploy" } };
    const body = { name: flow, project: "shop", stages: [{ name: "all", jobs: [deploy, release] }] };
    await succeed(slipway.call("POST", "/openapi/workflows/custom", { body }));
  },
  request: (slipway) => taskCalls(slipway).start("deploy", "release"),
  check: (slipway) => taskCalls(slipway).mustHavePassed(flow, 1),
}));
