import { findCluster } from "../../../kube/clusters/store/clusters.ts";
import type { JobPlanner } from "../planner.ts";
import { readSpec } from "../readSpec.ts";
import { analysesOf, analysisMinutes } from "../rollout/analysis/analyses.ts";
import { requireServers } from "../rollout/analysis/requireServers.ts";
import { type IstioRun, rolloutMinutes } from "../rollout/rolloutRun.ts";
import { firstStep, stepVariables, withTargets } from "../rollout/steps.ts";
import { kind as istioRelease } from "./kind.ts";

/** One job task for each workload, those of later steps as the first one's are. */
export const planner: JobPlanner = {
  select: async (job, parameters) => {
    const spec = readSpec(istioRelease, job);
    // The first step says what is released; what a start call says of another is not looked at.
    if (spec.from_job) return { ...job.spec };
    return withTargets(job, parameters, spec, { imaged: true });
  },
  expand: async (job, scope) => {
    const { from_job, weight, replica_percentage, timeout, ...spec } = readSpec(istioRelease, job);
    const analysis = analysesOf(spec.analysis);
    await requireServers(job.name, analysis);
    const first = firstStep(job, from_job, scope);
    const { cluster_id, namespace, targets } = readSpec(istioRelease, first);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    return targets.map((target) => {
      const { workload_name, container_name, virtual_service_name, host, image } = target;
      const run: IstioRun = {
        ...{ mode: "istio", clusterId: cluster_id ?? "", namespace: namespace ?? "", workload: workload_name },
        ...{ weight, percentage: replica_percentage || weight, job: job.name, deployJob: first.name },
        ...{ analysis, virtualService: virtual_service_name ?? "", host: host ?? "" },
        images: [{ container: container_name, image: image ?? "" }],
      };
      const minutes = timeout || rolloutMinutes;
      return {
        parts: [workload_name],
        jobInfo: { workload_name },
        spec: {
          ...{ first_job: !from_job, timeout: minutes, cluster_id: run.clusterId, cluster_name: cluster?.name ?? "" },
          ...{ namespace: run.namespace, weight, replica_percentage: run.percentage, replicas: 0 },
          ...{ targets: target, event: [] },
        },
        run: { ...run },
        timeoutMinutes: minutes + analysisMinutes(analysis),
      };
    });
  },
  variables: async (job, scope) => {
    const first = firstStep(job, readSpec(istioRelease, job).from_job, scope);
    return stepVariables(readSpec(istioRelease, first).targets);
  },
};
