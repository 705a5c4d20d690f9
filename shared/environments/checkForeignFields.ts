import type { CallOptions, ClusterClient } from "../clients/kubernetes/ClusterClient.ts";
import { RetryableClusterError } from "../clients/kubernetes/errors.ts";
import { mapBounded } from "../deploy/mapBounded.ts";
import { environmentLabel } from "../deploy/marks.ts";
import type { PreparedObject } from "../deploy/prepareObjects.ts";
import { readLive } from "../deploy/readLive.ts";
import { EnvironmentProblem, reasonOf } from "./failures.ts";

const atOnce = 16;

/**
 * Asks the cluster, without changing anything, whether objects that stand there without our mark can be taken over:
 * creating and adding never force (decisions 5.6). One LIST a kind; only what is found is tried.
 * @throws EnvironmentProblem naming every object, manager and field; ClusterError when the cluster cannot be asked
 */
export async function checkForeignFields(
  client: ClusterClient,
  objects: readonly PreparedObject[],
  namespace: string,
  call: CallOptions,
): Promise<void> {
  if (objects.length === 0) return;
  const kinds = objects.map(({ ref }) => ref);
  const foreign = await readLive(client, kinds, namespace, { labelSelector: `!${environmentLabel}`, ...call });
  const tried = objects.filter(({ key }) => foreign.has(key));
  const refused = await mapBounded(tried, atOnce, async ({ object }) => {
    try {
      await client.apply(object, { force: false, dryRun: true, ...call });
      return [];
    } catch (error) {
      if (error instanceof RetryableClusterError) throw error;
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      return [reason];
    }
  });
  if (refused.flat().length > 0) throw new EnvironmentProblem(refused.flat().join("; "));
}
