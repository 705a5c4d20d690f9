import {
  type AskStatus,
  completeTask,
  executionStatus,
  isLeftAlone,
  startExecution,
} from "../../base/aws/states/stateMachines.ts";
import { config } from "../../base/settings/config.ts";
import { mustBeOneOf } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { onlyIf } from "../../base/store/writes.ts";
import { jobOf, planOf } from "../records/currentState.ts";
import type { WholeTask } from "../records/findTasks.ts";
import { findJobScope, type JobScope, jobBefore, withAllJobs, withJobBefore } from "../records/jobScope.ts";
import { changeJob } from "../records/records.ts";
import { isJobFinal, stops } from "../records/rules/status.ts";
import type { JobRecord } from "../records/task.ts";
import type { TaskRun } from "./nextStep.ts";

/**
 * Leaves the token of a stage to one of its jobs and makes sure that the job has a running execution. A job that has
 * ended, or that does not start because its stage stopped or the task was cancelled, is done at once.
 */
export async function runJob(run: TaskRun & { job: string; taskToken: string }): Promise<void> {
  const whole = await findJobScope(run.ownerId, run.taskId, run.job);
  const job = whole === undefined ? undefined : jobOf(whole, run.job);
  const isOurs = whole?.task.attempt === run.attempt;
  if (whole === undefined || job === undefined || !isOurs || (await isOver(whole, job))) {
    await completeTask(run.taskToken, {});
    return;
  }
  const stageToken = run.taskToken;
  // Most jobs are met once, before they ran: token and attempt are one write then.
  if (job.attempt === 0 && (await countAttempt(whole, job, { attempt: 1, stageToken }))) {
    await startJob(whole, job, 1);
    return;
  }
  if (!(await tryWrite(table().write(changeJob(whole.task, job, { set: { stageToken } }))))) {
    // It ended at this moment, and its end may have been reported to the token before.
    await completeTask(run.taskToken, {});
    return;
  }
  await ensureExecution(whole, job);
}

/** Whether the job must no longer be started, or has ended. */
async function isOver(scope: JobScope, job: JobRecord): Promise<boolean> {
  if (isJobFinal(job.status)) return true;
  const hasBegun = job.attempt > 0;
  if (scope.task.status === "cancelled" && !hasBegun) return true;
  const stage = scope.plan.stages[job.stage];
  if (stage === undefined || stage.parallel || hasBegun) return false;
  const before = jobBefore(scope, job);
  const status = before && jobOf(await withJobBefore(scope, job), before.name)?.status;
  // Jobs follow each other: one that has ended and let the next one begin had none before it that stops.
  if (scope.lacksJobs && status !== undefined && isJobFinal(status) && !stops(status)) return false;
  const whole = await withAllJobs(scope);
  return stage.jobs.some(({ name }) => stops(jobOf(whole, name)?.status ?? ""));
}

export function jobExecutionName({ jobId }: Pick<JobRecord, "jobId">, attempt: number): string {
  return `${jobId}-${attempt}`;
}

/** Until then a request, a step or a watcher may still be at it. */
const quietSeconds = 60;

/**
 * Continues jobs of a task whose execution ended by itself: an operator stopped it, or the service did. One that ended
 * without reporting to its stage reports now.
 */
export async function resumeJobs(whole: WholeTask, ask: AskStatus): Promise<void> {
  const quietSince = nowSeconds() - quietSeconds;
  const begun = whole.jobs.filter((job) => jobOf(whole, job.name) === job && job.attempt > 0);
  for (const job of begun)
    if (!isJobFinal(job.status) && job.startTime <= quietSince) await ensureExecution(whole, job, ask);
  const last = begun.filter(({ stage }) => stage === Math.max(...begun.map((job) => job.stage)));
  if (last.some(({ status, endTime }) => !isJobFinal(status) || endTime > quietSince)) return;
  await Promise.all(last.map(({ stageToken }) => stageToken !== undefined && completeTask(stageToken, {})));
}

/** Starts the execution of a job whose first one was counted and never started, or another one in place of one that died. */
async function ensureExecution(whole: WholeTask, job: JobRecord, ask: AskStatus = executionStatus): Promise<void> {
  const status =
    job.attempt === 0 ? undefined : await ask(config().SLIPWAY_JOB_ARN, jobExecutionName(job, job.attempt));
  if (isLeftAlone(status)) return;
  const attempt = job.attempt === 0 || status !== undefined ? job.attempt + 1 : job.attempt;
  if (attempt === job.attempt || (await countAttempt(whole, job, { attempt }))) await startJob(whole, job, attempt);
}

/** Counts an execution of a job that has not ended. @returns false when another process did, or it ended */
function countAttempt({ task }: WholeTask, job: JobRecord, set: Partial<JobRecord>): Promise<boolean> {
  const write = changeJob(task, job, { set });
  return tryWrite(table().write(onlyIf(mustBeOneOf("attempt", [job.attempt]), write)));
}

async function startJob(whole: WholeTask, job: JobRecord, attempt: number): Promise<void> {
  const { task } = whole;
  const plan = planOf(whole.plan, job);
  const input = {
    ownerId: task.owner.id,
    taskId: task.taskId,
    job: job.name,
    timeoutSeconds: plan?.timeoutSeconds ?? 1,
  };
  await startExecution(config().SLIPWAY_JOB_ARN, jobExecutionName(job, attempt), input);
}
