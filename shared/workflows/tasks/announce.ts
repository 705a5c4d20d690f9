import { publishStatusChange, type StatusChange } from "../../aws/events/publishStatusChange.ts";
import { log } from "../../settings/log.ts";
import { nowSeconds } from "../../store/ids.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { JobRecord, StageRecord, Task } from "../records/task.ts";
import { notifyOfApproval, notifyOfJob, notifyOfTask } from "./notifyTask.ts";
import { tellCommitOf } from "./tellCommitOf.ts";

type OfTask = { task: Task };
type OfPlan = Pick<WholeTask, "task" | "plan">;

/**
 * Reports that a task has another status than before; may be repeated.
 * @param read the task with all of its records as they are now, where the caller has them
 */
export async function announceTask({ task }: OfTask, from: string, read?: WholeTask): Promise<void> {
  log.info("task status changed", { workflow: task.owner.key, taskId: task.taskId, from, to: task.status });
  await publishStatusChange({ ...changeOf(task), level: "task", from, to: task.status });
  // The process that put it into the queue may have died before reporting that; a repeated report is not sent again.
  const told: Task = task.status === "running" ? { ...task, status: "waiting", attempt: task.attempt - 1 } : task;
  await notifyOfTask(told, read);
  await tellCommitOf(told);
}

export async function announceStage({ task, plan }: OfPlan, before: StageRecord, after: StageRecord): Promise<void> {
  const { stage, status: to } = after;
  const { status: from } = before;
  log.info("stage status changed", { workflow: task.owner.key, taskId: task.taskId, stage, from, to });
  const stageName = plan.stages[stage]?.name ?? "";
  await publishStatusChange({ ...changeOf(task), level: "stage", stageName, from, to });
  await tellOfStage({ task, plan }, after);
}

/** Sends the messages about a stage; those that were sent already are not sent again. */
export async function tellOfStage({ task, plan }: OfPlan, { stage, status }: StageRecord): Promise<void> {
  const stageName = plan.stages[stage]?.name ?? "";
  if (status === "wait_for_approval") await notifyOfApproval(task, { stageName, jobName: "" });
}

export async function announceJob({ task, plan }: OfPlan, before: JobRecord, after: JobRecord): Promise<void> {
  const { name: job, status: to } = after;
  const { status: from } = before;
  log.info("job status changed", { workflow: task.owner.key, taskId: task.taskId, job, from, to });
  await publishStatusChange({ ...changeOf(task), level: "job", jobName: job, from, to });
  await tellOfJob({ task, plan }, after);
}

/** Sends the messages about a job; those that were sent already are not sent again. */
export async function tellOfJob({ task, plan }: OfPlan, job: JobRecord): Promise<void> {
  const planned = plan.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === job.name);
  // Most jobs have no settings of their own, and cost nothing more.
  if (planned !== undefined && planned.notifyCtls.length > 0) await notifyOfJob(task, job);
  const stageName = plan.stages[job.stage]?.name ?? "";
  if (job.status === "wait_for_approval") await notifyOfApproval(task, { stageName, jobName: job.name });
}

function changeOf({ owner, taskId }: Task): Pick<StatusChange, "projectKey" | "workflowKey" | "taskId" | "time"> {
  return { projectKey: owner.projectKey, workflowKey: owner.key, taskId, time: nowSeconds() };
}
