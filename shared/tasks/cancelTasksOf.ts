import { openTasks } from "../store/tasks/findTasks.ts";
import type { CancelTasks } from "../workflows/deleteWorkflow.ts";
import { cancelTask } from "./cancelTask.ts";

/** Before a workflow goes: everything of it that waits, runs or is paused ends (contract W 2.11). */
export const cancelTasksOf: CancelTasks = async ({ workflowId }, revoker) => {
  for (const task of await openTasks(workflowId)) await cancelTask(task, revoker);
};
