import type { Change } from "../store/changes.ts";
import { removeWait, waitsOf } from "../store/readinessWaits.ts";

/** Nobody waits any more for the workloads of an environment that is deleted, and its cluster is not watched for them. */
export async function forgetWaits({ clusterId, environmentId }: Change): Promise<void> {
  const waits = await waitsOf(clusterId);
  await Promise.all(waits.filter((wait) => wait.environmentId === environmentId).map(removeWait));
}
