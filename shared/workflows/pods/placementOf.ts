import { load } from "js-yaml";
import type { ClusterRecord } from "../../clusters/store/clusters.ts";
import { strategiesOf } from "../../clusters/strategies.ts";
import type { PodPlacement } from "./rules/containerJob.ts";

/** Where jobs of a strategy may run: by the strategy with that id, else by the cluster's default (contract W 10.1). */
export function placementOf(
  cluster: Pick<ClusterRecord, "clusterId" | "strategies">,
  strategyId: string,
): PodPlacement {
  const all = strategiesOf(cluster);
  const chosen = all.find((strategy) => strategy.strategyId === strategyId) ?? all.find(({ isDefault }) => isDefault);
  if (chosen === undefined) return { nodeLabels: [], strategy: "normal", tolerations: [] };
  // Checked when the strategy was saved.
  const tolerations: unknown = chosen.tolerations.trim() === "" ? [] : load(chosen.tolerations);
  return {
    nodeLabels: chosen.nodeLabels,
    strategy: chosen.strategy,
    tolerations: Array.isArray(tolerations) ? tolerations : [],
  };
}
