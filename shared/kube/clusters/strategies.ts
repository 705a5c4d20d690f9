import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { type ClusterRecord, changeCluster, findCluster, type SchedulingStrategy } from "./store/clusters.ts";

type Holder = Pick<ClusterRecord, "clusterId" | "strategies">;

/**
 * How jobs may be placed on a cluster, by name. Until one is added there is `normal`, the default, which asks for nothing
 * (contract D 6.3); its id is the cluster's.
 */
export function strategiesOf({ clusterId, strategies }: Holder): readonly SchedulingStrategy[] {
  const normal = { nodeLabels: [], tolerations: "", isDefault: true };
  return strategies ?? [{ strategyId: clusterId, name: "normal", strategy: "normal", ...normal }];
}

/**
 * Replaces the strategies of a cluster by what `change` makes of them, and again when another change came first.
 * @returns false when there is no such cluster
 */
export function changeStrategies(
  clusterId: string,
  change: (
    before: readonly SchedulingStrategy[],
  ) => readonly SchedulingStrategy[] | Promise<readonly SchedulingStrategy[]>,
): Promise<boolean> {
  return retryOnConflict(async () => {
    const cluster = await findCluster(clusterId);
    if (cluster === undefined) return false;
    const before = strategiesOf(cluster);
    const after = await change(before);
    if (after !== before) await changeCluster(cluster, { strategies: [...after].sort(byName) });
    return true;
  });
}

function byName(a: SchedulingStrategy, b: SchedulingStrategy): number {
  return a.name < b.name ? -1 : 1;
}
