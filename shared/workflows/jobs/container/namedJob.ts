import { notFound } from "../../../base/errors/apiError.ts";
import { findWholeTask, type WholeTask } from "../../records/findTasks.ts";
import type { JobPlan } from "../../records/task.ts";
import { findTaskOwner } from "../../records/taskHeads.ts";

/** How a request names a job of a task. */
export interface JobName {
  /** The owner's key, as on the wire. */
  ownerKey: string;
  taskId: number;
  /** The job task's name; else the first whose job or key is named so (contract W 14). */
  job: string;
}

/** A job as its task planned it. */
export interface PlannedJob {
  whole: WholeTask;
  plan: JobPlan;
}

/** @throws ApiError 404 for an unknown workflow, task or job */
export async function requireJob(name: JobName): Promise<PlannedJob> {
  const found = await findJob(name);
  if (found === undefined) throw notFound(`job ${name.job} of task ${name.taskId} of ${name.ownerKey}`);
  return found;
}

export async function findJob({ ownerKey, taskId, job }: JobName): Promise<PlannedJob | undefined> {
  const owner = await findTaskOwner(ownerKey);
  const whole = owner && (await findWholeTask(owner.id, taskId));
  const plans = whole?.plan.stages.flatMap(({ jobs }) => jobs) ?? [];
  const plan =
    plans.find(({ name }) => name === job) ?? plans.find(({ originName, key }) => [originName, key].includes(job));
  return whole && plan && { whole, plan };
}
