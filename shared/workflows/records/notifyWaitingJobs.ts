import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { findTask, type TaskId } from "./findTasks.ts";
import { isTaskFinal } from "./rules/status.ts";
import type { Task } from "./task.ts";
import { removeTaskWaiter, taskWaiters } from "./waiters.ts";

/** Wakes the jobs of other tasks that wait for the end of this one (contract W 5, `workflow-trigger`). */
export async function notifyWaitingJobs({ owner, taskId }: Task): Promise<void> {
  const task = { ownerId: owner.id, taskId };
  for (const waiter of await taskWaiters(task)) {
    if (await allEnded(waiter.tasks)) await completeTask(waiter.taskToken, {});
    await removeTaskWaiter(task, waiter.name);
  }
}

/** Whether every one of the tasks ended; one that was deleted counts as ended. */
export async function allEnded(tasks: readonly TaskId[]): Promise<boolean> {
  const found = await Promise.all(tasks.map(({ ownerId, taskId }) => findTask(ownerId, taskId)));
  return found.every((task) => task === undefined || isTaskFinal(task.status));
}
