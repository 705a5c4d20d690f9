import { completeTask } from "../../base/aws/states/stateMachines.ts";
import type { Change } from "../store/changes.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { recordOutcome } from "../store/readinessOutcomes.ts";
import { putWait, type ReadinessWait, removeWait, waitsOf } from "../store/readinessWaits.ts";

/**
 * Ends the waits for the workloads of an environment that is deleted, so that its cluster is no longer watched for
 * them; a job that waited for them is notified.
 */
export async function cancelReadinessWaits({ clusterId, environmentId }: Change): Promise<void> {
  const waits = await waitsOf(clusterId);
  await Promise.all(waits.filter((wait) => wait.environmentId === environmentId).map(forget));
}

async function forget(wait: ReadinessWait): Promise<void> {
  if (wait.changeId === undefined)
    await recordOutcome(wait.waitId, { notReady: ["the environment is being deleted"], overdue: false });
  await completeTask(wait.taskToken, {});
  await removeWait(wait);
}

/** What a service leaves behind is no longer awaited; a wait for nothing else ends. */
export async function removeServiceWaits(
  { clusterId, environmentId }: Pick<EnvironmentRecord, "clusterId" | "environmentId">,
  services: readonly string[],
): Promise<void> {
  for (const wait of await waitsOf(clusterId)) {
    if (wait.environmentId !== environmentId || wait.changeId === undefined) continue;
    const workloads = wait.workloads.filter(({ service }) => !services.includes(service));
    if (workloads.length === wait.workloads.length) continue;
    if (workloads.length > 0) await putWait({ ...wait, workloads });
    else await forget(wait);
  }
}
