import { notifyChange } from "../../access/events/store/changeEvents.ts";
import type { Write } from "../../base/store/writes.ts";
import type { Task } from "./task.ts";

/** Reports a task's state to followers of changes. @param state unless it is the task's status: what it waits for */
export function publishTask(
  { owner, taskId, status }: Pick<Task, "owner" | "taskId" | "status">,
  state: string = status,
): Write {
  const { projectKey, key, name } = owner;
  return notifyChange({ kind: "task", projectKey, key, name, taskId, state });
}
