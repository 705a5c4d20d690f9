import { randomBytes } from "node:crypto";
import { type SealedSecret, seal, unseal } from "../../../base/aws/secrets/sealedSecret.ts";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { overwrite, type Write } from "../../../base/store/writes.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import type { Task } from "../../records/task.ts";
import type { TaskName } from "../../records/taskItems.ts";

/** What a secret of a task is sealed for. */
const taskSecretOwner = (recordId: string, variable: string) => ({ record: `task:${recordId}`, field: variable });

const credentialPrefix = "credential.";

/** Whether a variable replaces a credential that is sealed with its task. */
export function isCredentialPath(path: string): boolean {
  return path.startsWith(credentialPrefix);
}

/** Moves credentials out of a plan into `secrets`; returns the variable that replaces one. */
export function keepSecretIn(secrets: Map<string, string>): (value: string) => string {
  return (value) => {
    const path = `${credentialPrefix}${randomBytes(8).toString("hex")}`;
    secrets.set(path, value);
    return `{{.${path}}}`;
  };
}

/** What a start call said, as it is kept for a retry: sealed, because it may bring credentials. */
export async function sealArguments(recordId: string, given: unknown): Promise<string> {
  return JSON.stringify(await seal(JSON.stringify(given), taskSecretOwner(recordId, "arguments")));
}

export async function openArguments<T>(recordId: string, sealed: string): Promise<T> {
  return JSON.parse(await unseal(JSON.parse(sealed), taskSecretOwner(recordId, "arguments")));
}

/** Writes that add credentials to those of a task; none when there are none. */
export async function addSecrets(task: Task, secrets: ReadonlyMap<string, string>): Promise<Write[]> {
  if (secrets.size === 0) return [];
  const sealed = await Promise.all(
    [...secrets].map(async ([path, value]) => [path, await seal(value, taskSecretOwner(task.recordId, path))] as const),
  );
  const before = await findTaskSecrets(task);
  return [putTaskSecrets(task, { ...before, ...Object.fromEntries(sealed) })];
}

/** Credentials among the variables of a task, by their paths: parameters that are secret. */
export async function readSecretVariables({ task }: WholeTask): Promise<Map<string, string>> {
  const sealed: TaskSecrets = (await findTaskSecrets(task)) ?? {};
  const entries = Object.entries(sealed).map(
    async ([path, secret]) => [path, await unseal(secret, taskSecretOwner(task.recordId, path))] as const,
  );
  return new Map(await Promise.all(entries));
}

/** Credentials of a task by the variable they stand for; apart from the task, so that reading it brings none. */
type TaskSecrets = Readonly<Record<string, SealedSecret>>;

async function findTaskSecrets({ owner, taskId }: TaskName): Promise<TaskSecrets | undefined> {
  return (await table().get<{ secrets: TaskSecrets }>(keys.taskSecrets(owner.id, taskId)))?.secrets;
}

/** Goes with the write of the plan that needs them, whose condition rules out other writers. */
function putTaskSecrets({ owner, taskId }: TaskName, secrets: TaskSecrets): Write {
  return overwrite({ ...keys.taskSecrets(owner.id, taskId), type: "task-secrets", secrets });
}
