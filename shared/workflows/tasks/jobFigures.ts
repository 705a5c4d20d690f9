import { recordMetric } from "../../base/metrics/recordMetric.ts";
import { jobOf, planOf } from "../records/currentState.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { JobRecord } from "../records/task.ts";

/** Measures how long a job was ready before it began. @param startTime Unix seconds */
export function recordWait(whole: WholeTask, job: JobRecord, startTime: number): void {
  recordMetric("jobWait", { type: planOf(whole.plan, job)?.type ?? "" }, Math.max(0, startTime - readyAt(whole, job)));
}

/** Measures how long a job took, including its retries and its waits. One that never began is not measured. */
export function recordDuration(whole: WholeTask, job: JobRecord, { status, endTime }: JobRecord): void {
  if (job.startTime > 0)
    recordMetric("jobDuration", { type: planOf(whole.plan, job)?.type ?? "", status }, endTime - job.startTime);
}

/** Unix seconds: when its stage had started or it was released, and in a serial stage the job before it had ended. */
function readyAt(whole: WholeTask, job: JobRecord): number {
  const stage = whole.plan.stages[job.stage];
  const names = stage === undefined || stage.parallel ? [] : stage.jobs.map(({ name }) => name);
  const before = names.slice(0, Math.max(0, names.indexOf(job.name))).map((name) => jobOf(whole, name)?.endTime ?? 0);
  return Math.max(begunAt(job), job.promotedAt ?? 0, ...before);
}

/** Records of jobs are made when their stage begins, and their ids begin with that time. */
function begunAt({ jobId }: JobRecord): number {
  return Number.parseInt(jobId.slice(0, 8), 16);
}
