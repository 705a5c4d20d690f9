import { keys } from "../../base/store/keys/keys.ts";
import type { AdvancedSettings } from "../definition/script/advancedSettings.ts";
import { type NamedUse, savedName } from "./store/namedUse.ts";

/** The names of a job's cluster and strategy, as they were when its definition was saved. */
export function savedPlace(
  { clusterId, strategyId }: Pick<AdvancedSettings, "clusterId" | "strategyId">,
  uses: readonly NamedUse[],
): { clusterName: string; strategyName: string } {
  const cluster = keys.cluster(clusterId);
  return {
    clusterName: savedName(uses, cluster),
    strategyName: strategyId === "" ? "" : savedName(uses, cluster, strategyId),
  };
}
