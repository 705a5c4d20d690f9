import { startExecution } from "../../base/aws/states/stateMachines.ts";
import { config } from "../../base/settings/config.ts";
import type { Task } from "../records/task.ts";

export function taskExecutionName({ recordId, attempt }: Pick<Task, "recordId" | "attempt">): string {
  return `${recordId}-${attempt}`;
}

/**
 * Starts the execution of a dispatched task; calling it again starts nothing twice (decisions 7.1). The reconciler runs
 * since the task was opened.
 */
export async function startTaskExecution(task: Task): Promise<void> {
  const { owner, taskId, attempt } = task;
  const input = { ownerId: owner.id, taskId, attempt };
  await startExecution(config().SLIPWAY_WORKFLOW_TASK_ARN, taskExecutionName(task), input);
}
