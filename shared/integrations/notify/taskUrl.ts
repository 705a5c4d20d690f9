import { ownerKindOf } from "../../base/common/ownerKey.ts";
import { config } from "../../base/settings/config.ts";
import { taskLink } from "./rules/taskLinks.ts";

/** Where the console shows a task (contract W 6, 15.3); relative while no address of the console is set. */
export function taskUrl(
  { id, key, name, projectKey }: { id: string; key: string; name: string; projectKey: string },
  taskId: number,
): string {
  return taskLink({
    baseUrl: config().SLIPWAY_CONSOLE_ADDRESS,
    project: { key: projectKey },
    workflow: { id, key, displayName: name },
    ...{ taskId, taskType: ownerKindOf(key) },
  });
}
