import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { filledText, listOf, text } from "../../definition/wireFields.ts";
import { jobNamed } from "../jobNamed.ts";
import type { PlanScope } from "../planner.ts";
import { readInputs } from "../readSpec.ts";
import { deployVariables } from "../variables/deployVariables.ts";
import { amongTargets } from "./amongTargets.ts";

const input = z.looseObject({
  target_list: listOf(z.looseObject({ workload_name: filledText, container_name: text, image_name: text })),
});

/** Of a workload that a job may choose. */
interface Target {
  workload_name?: string | null | undefined;
  container_name?: string | null | undefined;
}

/**
 * The spec with the targets that a start call names in `target_list`, all of them where it names none.
 * @param imaged each needs an image
 * @throws ApiError 6160 for one that the job does not have
 */
export function withTargets(
  job: WorkflowJob,
  parameters: Record<string, unknown>,
  { targets, target_options }: { targets: readonly Target[]; target_options: readonly Target[] },
  { imaged }: { imaged: boolean },
): Record<string, unknown> {
  const { target_list } = readInputs(input, parameters, job);
  if (target_list.length === 0) return { ...job.spec };
  const known = [...targets, ...target_options];
  const chosen = target_list.map(({ workload_name, container_name, image_name }) => {
    const found = known.find(
      (one) => one.workload_name === workload_name && (!container_name || one.container_name === container_name),
    );
    const named = [workload_name, container_name].filter(Boolean).join("/");
    if (imaged && !image_name)
      throw new ApiError(6160, `inputs of job ${job.name}: image_name of ${named} cannot be empty`);
    return { ...amongTargets(found, job, `target_list names ${named}`), ...(imaged && { image: image_name }) };
  });
  return { ...job.spec, targets: chosen };
}

/**
 * The first step of a release in steps.
 * @param from the job that a later step names; empty in the first
 * @throws ApiError 6160 when the first step does not run in the task
 */
export function firstStep(job: WorkflowJob, from: string | null | undefined, scope: PlanScope): WorkflowJob {
  if (!from) return job;
  const first = jobNamed(scope, from);
  if (first === undefined || first.type !== job.type || first.skipped === true)
    throw new ApiError(
      6160,
      `job ${job.name} goes on with what job ${from} begins, which does not run in this task; choose both or neither`,
    );
  return first;
}

/** What other jobs may use of a release in steps before it runs: its first step says what is released. */
export function stepVariables(
  targets: readonly { workload_name: string; container_name: string; image?: string | null | undefined }[],
): ReadonlyMap<string, string> {
  const deployed = targets.map(({ workload_name, container_name, image }) => ({
    name: workload_name,
    modules: [{ name: container_name, image: image ?? "" }],
  }));
  return new Map(deployVariables(deployed));
}
