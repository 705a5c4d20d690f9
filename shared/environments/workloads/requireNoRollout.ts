import { ApiError } from "../../base/errors/apiError.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { type Rollout, rolloutsIn } from "../store/rollouts.ts";

/**
 * Refuses to change workloads that a task is rolling out (decisions 12.1); one read, whatever their number.
 * @param owner the task that asks, which may change what it rolls out
 * @throws ApiError 6076 naming the task
 */
export async function requireNoRollout(
  { clusterId, namespace }: { clusterId: string; namespace: string },
  workloads: readonly { kind: string; name: string }[],
  owner?: string,
): Promise<void> {
  if (workloads.length === 0) return;
  const rollouts = await rolloutsIn(clusterId, namespace);
  for (const rollout of rollouts) {
    const isMeant = workloads.some(({ kind, name }) => kind === rollout.kind && name === rollout.name);
    if (!isMeant || rollout.owner === owner || (await isFree(rollout))) continue;
    throw new ApiError(6076, rolloutSentence(rollout));
  }
}

export function rolloutSentence({ kind, name, taskId, workflowKey }: Rollout): string {
  return `${kind} "${name}" is being rolled out by task ${taskId} of workflow ${workflowKey}; wait until that task ends, or cancel it`;
}

/** Whether only the record is left of it, which the reconciler removes: its task has ended, or was deleted. */
export async function isFree({ phase, ownerId, taskId }: Rollout): Promise<boolean> {
  if (phase !== "over") return false;
  const task = await table().get<{ endTime: number }>(keys.task(ownerId, taskId));
  return task === undefined || task.endTime > 0;
}
