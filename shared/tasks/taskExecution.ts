import { enableReconciler } from "../clients/schedules/reconcilerSchedule.ts";
import { startExecution } from "../clients/states/stateMachines.ts";
import { config } from "../config.ts";
import type { Task } from "../store/tasks/task.ts";

export function taskExecutionName({ recordId, attempt }: Pick<Task, "recordId" | "attempt">): string {
  return `${recordId}-${attempt}`;
}

/** Starts the execution of a dispatched task; calling it again starts nothing twice (decisions 7.1). */
export async function startTaskExecution(task: Task): Promise<void> {
  await enableReconciler();
  const { owner, taskId, attempt } = task;
  const input = { ownerId: owner.id, taskId, attempt };
  await startExecution(config().SLIPWAY_WORKFLOW_TASK_ARN, taskExecutionName(task), input);
}
