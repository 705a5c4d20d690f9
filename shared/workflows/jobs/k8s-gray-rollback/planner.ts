import * as z from "zod";
import { findCluster } from "../../../clusters/store/clusters.ts";
import { besideName } from "../../../environments/store/rollouts.ts";
import { grayRollback } from "../../definition/kinds/grayRollback.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";
import type { JobPlanner } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { amongTargets } from "../rollout/amongTargets.ts";
import { type GrayPlace, rolloutMinutes } from "../rollout/rolloutRun.ts";

const input = z.looseObject({
  target_list: listOf(z.looseObject({ workload_type: text, workload_name: filledText })),
});

/** One job task for each workload. */
export const grayRollbackPlanner: JobPlanner = {
  select: async (job, parameters) => {
    const { target_list } = readInputs(input, parameters, job);
    if (target_list.length === 0) return { ...job.spec };
    const { targets, target_options } = readSpec(grayRollback, job);
    const known = [...targets, ...target_options];
    const chosen = target_list.map(({ workload_name }) => {
      const found = known.find((one) => one.workload_name === workload_name);
      return amongTargets(found, job, `target_list names ${workload_name}`);
    });
    return { ...job.spec, targets: chosen };
  },
  expand: async (job) => {
    const { cluster_id, namespace, rollback_timeout, targets } = readSpec(grayRollback, job);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    const minutes = rollback_timeout || rolloutMinutes;
    return targets.map(({ workload_type, workload_name, origin_image, origin_replica }) => {
      const run: GrayPlace = {
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
