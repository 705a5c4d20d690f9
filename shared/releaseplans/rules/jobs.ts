import type { Plan, PlanActor, PlanJob, PlannedTask } from "./plan.ts";
import { forbid, type LogEntry, type LogVerb, type Refusal } from "./step.ts";

/** Who calls, and whether that is a system administrator. */
export interface Call {
  by: PlanActor;
  isAdministrator: boolean;
  /** Unix seconds. */
  now: number;
  /** Why a freeze does not count, given by a user who may override it; recorded in the log. */
  overrideReason?: string | undefined;
}

/** Only the plan's manager and administrators move a plan. @returns the refusal for anybody else */
export function managerRefusal(plan: Plan, { by, isAdministrator }: Call): Refusal | undefined {
  if (isAdministrator || plan.managerId === by.uid) return undefined;
  return forbid(`user ${by.name} is not the manager of the plan ${plan.name}`);
}

/** A job's own manager may act on it too (contract D 2.6). @returns the refusal for anybody else */
export function jobManagerRefusal(plan: Plan, job: PlanJob, call: Call): Refusal | undefined {
  const isOwn = job.managerId !== "" && job.managerId === call.by.uid;
  const refusal = isOwn ? undefined : managerRefusal(plan, call);
  if (refusal === undefined || job.managerId === "") return refusal;
  return forbid(`user ${call.by.name} is not the manager of the job ${job.name}`);
}

/** Jobs when execution begins: what was done before and not edited since is done, the rest is to do (contract D 2.6). */
export function armed(jobs: readonly PlanJob[]): PlanJob[] {
  return jobs.map((job) =>
    job.lastStatus === "done" && !job.updated
      ? { ...job, status: "done" }
      : { ...job, status: "todo", executedBy: "", executedTime: 0 },
  );
}

/** Jobs when planning begins again (contract D 2.5): a task that passed stays, any other is forgotten. */
export function disarmed(jobs: readonly PlanJob[]): PlanJob[] {
  return jobs.map((job) => {
    const reset: PlanJob = { ...job, lastStatus: job.status, status: "todo", updated: false };
    if (job.workflow === undefined || job.workflow.taskStatus === "passed") return reset;
    const { taskId, taskStatus: _, ...workflow } = job.workflow;
    return { ...reset, workflow: taskId === undefined ? workflow : { ...workflow, taskStatus: "prepare" } };
  });
}

/** Tasks of jobs that are under way. */
export function runningTasks(jobs: readonly PlanJob[]): PlannedTask[] {
  return jobs.flatMap(({ status, workflow }) =>
    status === "running" && workflow?.taskId !== undefined ? [{ ownerId: workflow.id, taskId: workflow.taskId }] : [],
  );
}

/** Whether a job has ended; a failed one does not hold a plan up. */
export function isJobOver({ status }: PlanJob): boolean {
  return status === "done" || status === "skipped" || status === "failed";
}

/** Whether every job has ended. */
export function areOver(jobs: readonly PlanJob[]): boolean {
  return jobs.every(isJobOver);
}

/** Whether something was done in this round: jobs that were kept from an earlier one do not count. */
export function hasBegun({ jobs, executingTime }: Plan): boolean {
  return jobs.some(
    ({ status, executedTime, lastStatus, updated }) =>
      status !== "todo" && !(status === "done" && lastStatus === "done" && !updated && executedTime < executingTime),
  );
}

export function withJob(plan: Plan, changed: PlanJob): Plan {
  return { ...plan, jobs: plan.jobs.map((job) => (job.id === changed.id ? changed : job)) };
}

/** The entry for what was done to a job. */
export function jobEntry(by: PlanActor, verb: LogVerb, before: PlanJob, after: PlanJob, detail: string): LogEntry {
  return {
    ...{ by, verb, targetType: "release_job", targetName: after.name, detail },
    ...{ before: shown(before), after: shown(after) },
  };
}

function shown({ type, status, executedBy, executedTime, remark, workflow }: PlanJob) {
  const own =
    workflow === undefined
      ? "inline" in remark && { remark: remark.inline }
      : { workflow_status: workflow.taskStatus ?? "", task_id: workflow.taskId ?? 0 };
  return { type, status, executed_by: executedBy, executed_time: executedTime, ...own };
}
