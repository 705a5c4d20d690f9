import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { overwrite, remove } from "../../base/store/writes.ts";
import type { TaskId } from "./findTasks.ts";

/** A job of another task that waits for the end of this one. */
export interface TaskWaiter {
  /** Names the waiting job's try. */
  name: string;
  taskToken: string;
  /** Every task it waits for; it continues when all of them have ended. */
  tasks: TaskId[];
}

const keptSeconds = 90 * 24 * 3600;

/** Waits for tasks; a later token of the same job replaces the one before. */
export async function waitForTasks(waiter: TaskWaiter): Promise<void> {
  const ttl = nowSeconds() + keptSeconds;
  for (const { ownerId, taskId } of waiter.tasks) {
    const key = keys.taskWaiter(ownerId, taskId, waiter.name);
    await table().write(overwrite({ ...waiter, ...key, type: "task-waiter", ttl }));
  }
}

export function taskWaiters({ ownerId, taskId }: TaskId): Promise<Item<TaskWaiter>[]> {
  return table().query<TaskWaiter>({ pk: keys.taskWaiter(ownerId, taskId, "").pk });
}

/** The job of that try no longer waits for the task; may be repeated. */
export function removeTaskWaiter({ ownerId, taskId }: TaskId, name: string): Promise<void> {
  return table().write(remove(keys.taskWaiter(ownerId, taskId, name)));
}
