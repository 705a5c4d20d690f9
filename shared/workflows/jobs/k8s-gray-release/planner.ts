import * as z from "zod";
import { findCluster } from "../../../clusters/store/clusters.ts";
import { besideName } from "../../../environments/store/rollouts.ts";
import { ApiError } from "../../../errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { grayRelease } from "../../definition/kinds/grayRelease.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";
import { jobNamed } from "../jobNamed.ts";
import type { JobPlanner, PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { amongTargets } from "../rollout/amongTargets.ts";
import { type GrayRun, rolloutMinutes } from "../rollout/rolloutRun.ts";

const input = z.looseObject({
  target_list: listOf(
    z.looseObject({ workload_type: text, workload_name: filledText, container_name: text, image_name: filledText }),
  ),
});

/** One job task for each workload, those of later steps as the first one's are. */
export const grayReleasePlanner: JobPlanner = {
  select: async (job, parameters) => {
    const { from_job, targets, target_options } = readSpec(grayRelease, job);
    // The first step says what is released; what a start call says of another is not looked at.
    if (from_job) return { ...job.spec };
    const { target_list } = readInputs(input, parameters, job);
    if (target_list.length === 0) return { ...job.spec };
    const known = [...targets, ...target_options];
    const chosen = target_list.map(({ workload_name, container_name, image_name }) => {
      const found = known.find(
        (one) => one.workload_name === workload_name && (!container_name || one.container_name === container_name),
      );
      const named = [workload_name, container_name].filter(Boolean).join("/");
      return { ...amongTargets(found, job, `target_list names ${named}`), image: image_name };
    });
    return { ...job.spec, targets: chosen };
  },
  expand: async (job, scope) => {
    const { from_job, gray_scale, deploy_timeout } = readSpec(grayRelease, job);
    const first = firstOf(job, scope);
    const { cluster_id, namespace, targets } = readSpec(grayRelease, first);
    const cluster = cluster_id ? await findCluster(cluster_id) : undefined;
    return targets.map(({ workload_type, workload_name, container_name, image, replica }) => {
      const run: GrayRun = {
        ...{ mode: "gray", clusterId: cluster_id ?? "", namespace: namespace ?? "", workload: workload_name },
        ...{ scale: gray_scale, job: job.name, deployJob: first.name },
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
        timeoutMinutes: minutes,
      };
    });
  },
};

/** @throws ApiError 6160 when the first step does not run in the task */
function firstOf(job: WorkflowJob, scope: PlanScope): WorkflowJob {
  const { from_job } = readSpec(grayRelease, job);
  if (!from_job) return job;
  const first = jobNamed(scope, from_job);
  if (first === undefined || first.type !== job.type || first.skipped === true)
    throw new ApiError(
      6160,
      `job ${job.name} goes on with what job ${from_job} begins, which does not run in this task; choose both or neither`,
    );
  return first;
}
