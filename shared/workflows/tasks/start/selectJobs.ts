import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowDefinition, WorkflowJob } from "../../definition/definition.ts";
import { jobKindOf } from "../../definition/jobKinds.ts";
import type { PlanScope } from "../../jobs/planner.ts";
import { plannerOf } from "../../jobs/planners.ts";

/** One job of the start call (contract W 2.4, 3). */
export interface JobInput {
  jobName: string;
  parameters: Record<string, unknown>;
}

/** Jobs that wait for people or notify them: they run without being named (contract W 2.4). */
function isGate({ type }: WorkflowJob): boolean {
  return jobKindOf(type)?.alwaysSelected === true;
}

/**
 * A start names at least one job of the workflow, unless all of its jobs run without being named; unknown names beside
 * it are ignored (contract W 2.4 step 6).
 * @throws ApiError 6160
 */
export function requireNamedJobs({ stages }: WorkflowDefinition, inputs: readonly JobInput[] | "as configured"): void {
  if (inputs === "as configured") return;
  const jobs = stages.flatMap((stage) => stage.jobs);
  if (jobs.some(({ name }) => inputs.some(({ jobName }) => jobName === name))) return;
  if (inputs.length === 0 && jobs.every(isGate)) return;
  const names = jobs.map(({ name }) => name).join(", ");
  throw new ApiError(6160, `no stage found in workflow task: inputs name no job of the workflow, which has ${names}`);
}

/**
 * The definition with the jobs that the start call chose: named ones run with their parameters, others are skipped;
 * approvals and notifications run unless their policy says otherwise, and what must run may not be skipped (contract
 * W 2.4 steps 3, 6, 7, 12).
 * @throws ApiError 6160
 */
export async function selectJobs(
  inputs: readonly JobInput[] | "as configured",
  scope: PlanScope,
): Promise<WorkflowDefinition> {
  const { definition } = scope;
  const stages = [];
  for (const stage of definition.stages) {
    const jobs = [];
    for (const job of stage.jobs)
      jobs.push(inputs === "as configured" ? asConfigured(job) : await selectJob(job, inputs, scope));
    stages.push({ ...stage, jobs });
  }
  return { ...definition, stages };
}

/** For a start that names no jobs: what is not preselected as skipped runs with what the definition says. */
function asConfigured(job: WorkflowJob): WorkflowJob {
  return { ...job, skipped: job.run_policy === "default_not_run" || job.run_policy === "skip" };
}

async function selectJob(job: WorkflowJob, inputs: readonly JobInput[], scope: PlanScope): Promise<WorkflowJob> {
  const input = inputs.find(({ jobName }) => jobName === job.name);
  if (input === undefined) {
    const runs = isGate(job) && job.run_policy !== "default_not_run" && job.run_policy !== "skip";
    if (!runs && job.run_policy === "force_run")
      throw new ApiError(6160, `job ${job.name} skipped, but the run policy is set to force run`);
    return { ...job, skipped: !runs };
  }
  const { select } = await plannerOf(job.type);
  if (select !== undefined) return { ...job, skipped: false, spec: await select(job, input.parameters, scope) };
  if (Object.keys(input.parameters).length > 0)
    throw new ApiError(6160, `inputs of job ${job.name}: jobs of type ${job.type} take no parameters; send {}`);
  return { ...job, skipped: false };
}
