import { randomBytes } from "node:crypto";
import { seal, unseal } from "../../aws/secrets/sealedSecret.ts";
import type { Write } from "../../store/writes.ts";
import type { WholeTask } from "../records/findTasks.ts";
import type { Task } from "../records/task.ts";
import { findTaskSecrets, putTaskSecrets, type TaskSecrets } from "../records/taskSecrets.ts";

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
