import { ApiError } from "../../../base/errors/apiError.ts";
import { openTasks, type TaskId } from "../../records/findTasks.ts";
import type { CancelTasks } from "../../records/task.ts";
import { cancelTask } from "./cancelTask.ts";

/** Who ends the tasks of an owner that is deleted (contract W 2.11). */
const revoker = "system";

/**
 * After an owner is deleted: all of its tasks that wait, run or are paused end (contract W 2.11); may be repeated. None
 * of its tasks can start now, so those that were started during the deletion are found here, or by the reconciler.
 */
export const cancelTasksOf: CancelTasks = async (ownerId) => {
  for (const task of await openTasks(ownerId)) await cancelOrphan(task);
};

/** Ends a task whose owner has gone; one that passed in the meantime stays as it is. */
export function cancelOrphan(task: TaskId): Promise<void> {
  return cancelUnlessPassed(task, revoker);
}

/** Ends a task for a caller that accepts that it passed in the meantime. */
export async function cancelUnlessPassed(task: TaskId, by: string): Promise<void> {
  try {
    await cancelTask(task, by);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 6163)) throw error;
  }
}
