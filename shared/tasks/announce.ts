import { log } from "../log.ts";
import type { JobRecord, StageRecord, Task } from "../store/tasks/task.ts";

type OfTask = { task: Task };

/** Tells whoever wants to know that a task has another status than before; may be told twice. */
export async function announceTask({ task }: OfTask, from: string): Promise<void> {
  log.info("task status changed", { workflow: task.owner.key, taskId: task.taskId, from, to: task.status });
}

export async function announceStage({ task }: OfTask, before: StageRecord, after: StageRecord): Promise<void> {
  const { stage, status: to } = after;
  log.info("stage status changed", { workflow: task.owner.key, taskId: task.taskId, stage, from: before.status, to });
}

export async function announceJob({ task }: OfTask, before: JobRecord, after: JobRecord): Promise<void> {
  const { name: job, status: to } = after;
  log.info("job status changed", { workflow: task.owner.key, taskId: task.taskId, job, from: before.status, to });
}
