import { invokeLater } from "../aws/functions/invokeLater.ts";
import { config } from "../settings/config.ts";

/** Starts the watcher of a cluster; one that holds the lease already takes the new wait up, and this one ends at once. */
export function wakeWatcher(clusterId: string): Promise<void> {
  return invokeLater(config().SLIPWAY_CLUSTER_WATCHER, { clusterId });
}
