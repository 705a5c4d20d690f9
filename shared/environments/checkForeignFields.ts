import type { CallOptions, ClusterClient } from "../clients/kubernetes/ClusterClient.ts";
import { mapBounded } from "../deploy/mapBounded.ts";
import { environmentLabel } from "../deploy/marks.ts";
import type { PreparedObject } from "../deploy/prepareObjects.ts";
import { readLive } from "../deploy/readLive.ts";

const atOnce = 16;

/**
 * Asks the cluster, without changing anything, whether objects that stand there without our mark can be taken over:
 * creating and adding never force (decisions 5.6). One LIST a kind; only what is found is tried.
 * @throws ClusterConflict naming object, manager and field
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
  await mapBounded(tried, atOnce, ({ object }) => client.apply(object, { force: false, dryRun: true, ...call }));
}
