import type { SealedSecret } from "../../aws/secrets/sealedSecret.ts";
import { keys } from "../../store/keys.ts";
import { table } from "../../store/table.ts";
import { overwrite, type Write } from "../../store/writes.ts";
import type { TaskName } from "./taskItems.ts";

/** Credentials of a task by the variable they stand for; apart from the task, so that reading it brings none. */
export type TaskSecrets = Readonly<Record<string, SealedSecret>>;

export async function findTaskSecrets({ owner, taskId }: TaskName): Promise<TaskSecrets | undefined> {
  return (await table().get<{ secrets: TaskSecrets }>(keys.taskSecrets(owner.id, taskId)))?.secrets;
}

/** Goes with the write of the plan that needs them, whose condition rules out other writers. */
export function putTaskSecrets({ owner, taskId }: TaskName, secrets: TaskSecrets): Write {
  return overwrite({ ...keys.taskSecrets(owner.id, taskId), type: "task-secrets", secrets });
}
