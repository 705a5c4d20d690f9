import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { config } from "../../base/settings/config.ts";
import { leaseLasts } from "../../base/store/leases.ts";

/** A lease that lasts no longer than this was not renewed when it should have been: its holder may be dead. */
const doubtfulSeconds = 4;

/** The lease under which one watcher at a time watches a cluster. */
export const watcherLease = (clusterId: string): string => `watcher#${clusterId}`;

/**
 * Starts the watcher of a cluster, where none lives. One that does takes up what waits already: it looks for waits while
 * it runs, and once more when it has given its lease back.
 */
export async function wakeWatcher(clusterId: string): Promise<void> {
  if (await isWatched(clusterId)) return;
  await invokeLater(config().SLIPWAY_CLUSTER_WATCHER, { clusterId });
}

/** Whether a watcher holds the cluster's lease that does not seem dead. */
export async function isWatched(clusterId: string): Promise<boolean> {
  return (await leaseLasts(watcherLease(clusterId))) > doubtfulSeconds;
}
