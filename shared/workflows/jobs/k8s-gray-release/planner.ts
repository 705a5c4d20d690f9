import { besideName } from "../../../environments/store/rollouts.ts";
import { findCluster } from "../../../kube/clusters/store/clusters.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { analysesOf, analysisMinutes } from "../rollout/analysis/analyses.ts";
import { requireServers } from "../rollout/analysis/requireServers.ts";
import { type GrayRun, rolloutMinutes } from "../rollout/rolloutRun.ts";
import { firstStep, stepVariables, withTargets } from "../rollout/steps.ts";
import { kind as grayRelease } from "./kind.ts";

/** One job task for each workload, those of later steps as the first one's are. */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const { from_job, targets, target_options } = readSpec(grayRelease, job);
    // The first step says what is released; what a start call says of another is not looked at.
    if (from_job) return { ...job.spec };
    return withTargets(job, parameters, { targets, target_options }, { imaged: true });
  },
  expand: async (job, scope) => {
    const { from_job, gray_scale, deploy_timeout, ...spec } = readSpec(grayRelease, job);
    const analysis = analysesOf(spec.analysis);
    await requireServers(job.name, analysis);
    const first = firstStep(job, from_job, scope);
    const { cluster_id, namespace, targets } = readSpec(grayRelease, first);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    return targets.map(({ workload_type, workload_name, container_name, image, replica }) => {
      const run: GrayRun = {
        ...{ mode: "gray", clusterId: cluster_id ?? "", namespace: namespace ?? "", workload: workload_name },
        ...{ scale: gray_scale, job: job.name, deployJob: first.name, analysis },
        images: [{ container: container_name, image: image ?? "" }],
      };
      const minutes = deploy_timeout || rolloutMinutes;
      return {
        parts: [workload_name],
        jobInfo: { workload_name },
        spec: {
          ...{ cluster_id: run.clusterId, cluster_name: cluster?.name ?? "", namespace: run.namespace },
          ...{ workload_type: workload_type ?? "Deployment", workload_name, container_name, image: image ?? "" },
          ...{ first_job: !from_job, gray_workload_name: besideName(workload_name, run), deploy_timeout: minutes },
          ...{ gray_scale, total_replica: replica ?? 0, gray_replica: 0, events: [] },
        },
        run: { ...run },
        timeoutMinutes: minutes + analysisMinutes(analysis),
      };
    });
  },
  variables: async (job, scope) => {
    const first = firstStep(job, readSpec(grayRelease, job).from_job, scope);
    return stepVariables(readSpec(grayRelease, first).targets);
  },
};
