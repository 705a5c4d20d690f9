import { ApiError } from "../../base/errors/apiError.ts";
import { reasonOf } from "../../environments/failures.ts";
import type { FreezePlace } from "../../projects/freezes/rules/freeze.ts";
import { freezePlaces } from "../../workflows/jobs/freezePlaces.ts";
import { renderLate } from "../../workflows/records/rules/variables.ts";
import type { JobPlan, TaskActor, TaskPlan } from "../../workflows/records/task.ts";
import { jobsOf } from "../../workflows/tasks/start/requireUnfrozen.ts";
import { previewStart } from "../../workflows/tasks/start/startWorkflow.ts";
import type { Plan, PlanJob } from "../rules/plan.ts";
import { specAhead } from "../workflowSpec.ts";
import { restReason } from "./restReason.ts";

/** The jobs of a planned task with the variables that are known before it starts. */
export function knownJobs(task: TaskPlan, secrets: ReadonlyMap<string, string>): JobPlan[] {
  const known = new Map([...secrets, ...(task.lateVariables ?? [])]);
  return jobsOf(task).map((one) => ({ ...one, run: renderLate(one.run, known, asWritten) }));
}

/** What only a run can know. */
function asWritten(path: string): string {
  return `{{.${path}}}`;
}

export async function placesOf(projectKey: string, jobs: readonly JobPlan[]): Promise<FreezePlace[]> {
  return (await Promise.all(jobs.map((one) => freezePlaces(projectKey, one)))).flat();
}

/** The production environments that a job of a plan would change; none where that cannot be found out. */
export async function placesAhead(plan: Plan, job: PlanJob, actor: TaskActor): Promise<FreezePlace[]> {
  if (job.workflow === undefined || restReason(plan, job) !== undefined) return [];
  try {
    const spec = await specAhead(plan, job);
    const { plan: task, secrets } = await previewStart(spec.workflow, spec.open, spec.given, actor);
    return await placesOf(job.workflow.projectKey, knownJobs(task, secrets));
  } catch (error) {
    sentenceOf(error);
    return [];
  }
}

/** Why something cannot be found out, for users. @throws what is a defect of ours */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.description;
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  return reason;
}
