import { settleTask } from "../clients/states/stateMachines.ts";
import type { Change } from "../store/changes.ts";
import { noteOutcome } from "../store/readinessOutcomes.ts";
import { type ReadinessWait, removeWait, waitsOf } from "../store/readinessWaits.ts";

/**
 * Nobody waits any more for the workloads of an environment that is deleted, and its cluster is not watched for them; a
 * job that waited for them is told.
 */
export async function forgetWaits({ clusterId, environmentId }: Change): Promise<void> {
  const waits = await waitsOf(clusterId);
  await Promise.all(waits.filter((wait) => wait.environmentId === environmentId).map(forget));
}

async function forget(wait: ReadinessWait): Promise<void> {
  if (wait.changeId === undefined) {
    await noteOutcome(wait.waitId, { notReady: ["the environment is being deleted"], overdue: false });
    await settleTask(wait.taskToken, {});
  }
  await removeWait(wait);
}
