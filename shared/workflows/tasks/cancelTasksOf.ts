import { ApiError } from "../../errors/apiError.ts";
import { openTasks, type TaskId } from "../records/findTasks.ts";
import type { CancelTasks } from "../records/task.ts";
import { cancelTask } from "./cancelTask.ts";

/** Who ends the tasks of an owner that is deleted (contract W 2.11). */
const revoker = "system";

/**
 * After an owner has gone: everything of it that waits, runs or is paused ends (contract W 2.11); may be repeated. No
 * task of it begins any more, so whatever was started while it went is found here, or by the reconciler.
 */
export const cancelTasksOf: CancelTasks = async (ownerId) => {
  for (const task of await openTasks(ownerId)) await cancelOrphan(task);
};

/** Ends a task whose owner has gone; one that passed in the meantime stays as it is. */
export function cancelOrphan(task: TaskId): Promise<void> {
  return cancelUnlessPassed(task, revoker);
}

/** Ends a task for somebody who does not mind that it passed in the meantime. */
export async function cancelUnlessPassed(task: TaskId, by: string): Promise<void> {
  try {
    await cancelTask(task, by);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 6163)) throw error;
  }
}
