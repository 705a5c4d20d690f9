import { findCluster } from "../../../kube/clusters/store/clusters.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { type NamedPlace, rolloutMinutes } from "../rollout/rolloutRun.ts";
import { withTargets } from "../rollout/steps.ts";
import { kind as istioRollback } from "./kind.ts";

/** One job task for each workload. */
export const planner: JobPlanner = {
  select: async (job, parameters) => withTargets(job, parameters, readSpec(istioRollback, job), { imaged: false }),
  expand: async (job) => {
    const { cluster_id, namespace, timeout, targets } = readSpec(istioRollback, job);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    const minutes = timeout || rolloutMinutes;
    return targets.map((target) => {
      const { workload_name, image } = target;
      const run: NamedPlace = {
        ...{ mode: "istio", clusterId: cluster_id ?? "", namespace: namespace ?? "", workload: workload_name },
      };
      return {
        parts: [workload_name],
        jobInfo: { workload_name },
        spec: {
          ...{ namespace: run.namespace, cluster_id: run.clusterId, cluster_name: cluster?.name ?? "" },
          ...{ image: image ?? "", replicas: 0, targets: target, timeout: minutes },
        },
        run: { ...run },
        timeoutMinutes: minutes,
      };
    });
  },
};
