import { besideName } from "../../../environments/store/rollouts.ts";
import { findCluster } from "../../../kube/clusters/store/clusters.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { type NamedPlace, rolloutMinutes } from "../rollout/rolloutRun.ts";
import { withTargets } from "../rollout/steps.ts";
import { kind as grayRollback } from "./kind.ts";

/** One job task for each workload. */
export const planner: JobPlanner = {
  select: async (job, parameters) => withTargets(job, parameters, readSpec(grayRollback, job), { imaged: false }),
  expand: async (job) => {
    const { cluster_id, namespace, rollback_timeout, targets } = readSpec(grayRollback, job);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    const minutes = rollback_timeout || rolloutMinutes;
    return targets.map(({ workload_type, workload_name, origin_image, origin_replica }) => {
      const run: NamedPlace = {
        ...{ mode: "gray", clusterId: cluster_id ?? "", namespace: namespace ?? "", workload: workload_name },
      };
      return {
        parts: [workload_name],
        jobInfo: { workload_name },
        spec: {
          ...{ cluster_id: run.clusterId, cluster_name: cluster?.name ?? "", namespace: run.namespace },
          ...{ workload_type: workload_type ?? "Deployment", workload_name, container_name: "" },
          ...{ image: origin_image ?? "", gray_workload_name: besideName(workload_name, run) },
          ...{ rollback_timeout: minutes, total_replica: origin_replica ?? 0, events: [] },
        },
        run: { ...run },
        timeoutMinutes: minutes,
      };
    });
  },
};
