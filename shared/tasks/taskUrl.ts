import { config } from "../config.ts";
import { taskLink } from "../domain/notification/taskLinks.ts";
import { ownerKindOf } from "../domain/task/ownerKey.ts";
import type { TaskOwner } from "../store/tasks/task.ts";

/** Where the console shows a task (contract W 6, 15.3); relative while no address of the console is set. */
export function taskUrl({ id, key, name, projectKey }: Omit<TaskOwner, "kind">, taskId: number): string {
  return taskLink({
    baseUrl: config().SLIPWAY_CONSOLE_ADDRESS,
    project: { key: projectKey },
    workflow: { id, key, displayName: name },
    ...{ taskId, taskType: ownerKindOf(key) },
  });
}
