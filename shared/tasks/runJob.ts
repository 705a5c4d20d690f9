import { executionStatus, settleTask, startExecution } from "../clients/states/stateMachines.ts";
import { config } from "../config.ts";
import { isJobFinal, stops } from "../domain/task/status.ts";
import { findWholeTask, type WholeTask } from "../store/tasks/findTasks.ts";
import { changeJob, unlessLost } from "../store/tasks/records.ts";
import type { JobRecord } from "../store/tasks/task.ts";
import { table } from "../store/theTable.ts";
import { both, mustBeOneOf } from "../store/writes.ts";
import { jobOf } from "./currentState.ts";
import type { TaskRun } from "./nextStep.ts";

/**
 * Leaves the token of a stage to one of its jobs and makes sure that the job has a running execution. A job that is
 * over, or that does not start because its stage stopped or the task was cancelled, is done at once.
 */
export async function runJob(run: TaskRun & { job: string; taskToken: string }): Promise<void> {
  const whole = await findWholeTask(run.ownerId, run.taskId);
  const job = whole === undefined ? undefined : jobOf(whole, run.job);
  const isOurs = whole?.task.attempt === run.attempt;
  if (whole === undefined || job === undefined || !isOurs || isOver(whole, job)) {
    await settleTask(run.taskToken, {});
    return;
  }
  const { task } = whole;
  const waits = table().write(changeJob(task, job, { set: { stageToken: run.taskToken } }));
  if (!(await unlessLost(waits))) {
    // It ended in this moment, and whoever ended it may have told the token before.
    await settleTask(run.taskToken, {});
    return;
  }
  await ensureExecution(whole, job);
}

/** Whether the job is not to be started any more, or ended. */
function isOver(whole: WholeTask, job: JobRecord): boolean {
  if (isJobFinal(job.status)) return true;
  const hasBegun = job.attempt > 0;
  if (whole.task.status === "cancelled" && !hasBegun) return true;
  const stage = whole.plan.stages[job.stage];
  if (stage === undefined || stage.parallel || hasBegun) return false;
  return stage.jobs.some(({ name }) => stops(jobOf(whole, name)?.status ?? ""));
}

export function jobExecutionName({ jobId }: Pick<JobRecord, "jobId">, attempt: number): string {
  return `${jobId}-${attempt}`;
}

/** Starts the execution of a job that has none, and another one in place of one that died. */
async function ensureExecution(whole: WholeTask, job: JobRecord): Promise<void> {
  const arn = config().SLIPWAY_JOB_ARN;
  const { task } = whole;
  const status = job.attempt === 0 ? undefined : await executionStatus(arn, jobExecutionName(job, job.attempt));
  if (status === "RUNNING") return;
  const attempt = job.attempt === 0 || status !== undefined ? job.attempt + 1 : job.attempt;
  if (attempt !== job.attempt) {
    const { condition, ...write } = changeJob(task, job, { set: { attempt } });
    const counted = { ...write, condition: both(mustBeOneOf("attempt", [job.attempt]), condition) };
    if (!(await unlessLost(table().write(counted)))) return;
  }
  const plan = whole.plan.stages[job.stage]?.jobs.find(({ name }) => name === job.name);
  const input = {
    ownerId: task.owner.id,
    taskId: task.taskId,
    job: job.name,
    timeoutSeconds: plan?.timeoutSeconds ?? 1,
  };
  await startExecution(arn, jobExecutionName(job, attempt), input);
}
