import { openCluster } from "../../kube/clusters/openCluster.ts";
import { isDefinition } from "../../manifest/schema/isDefinition.ts";
import { reasonOf } from "../failures.ts";
import { silentSeconds } from "../limits.ts";
import type { PlanWarning } from "../plan/planServices.ts";
import type { EnvironmentService } from "../store/environments.ts";
import { type Claimant, clusterScopedOwnersOf } from "./clusterScopedOwnersOf.ts";

/**
 * Warns of definitions that services are about to leave and that stay, because objects of others are of them. Services
 * without definitions cost nothing. A cluster that cannot be asked is no matter of a warning.
 */
export async function keptDefinitions(
  place: Claimant["place"],
  leaving: readonly Pick<EnvironmentService, "name" | "clusterObjects">[],
): Promise<PlanWarning[]> {
  const defining = leaving.flatMap(({ name, clusterObjects = [] }) =>
    clusterObjects.filter(isDefinition).map((ref) => ({ name, ref })),
  );
  if (defining.length === 0) return [];
  try {
    const { client } = await openCluster(place.clusterId);
    const call = { dryRun: true, deadlineSeconds: silentSeconds };
    const left = await Promise.all(
      defining.map(({ name, ref }) => clusterScopedOwnersOf(place, name).leave(client, ref, call)),
    );
    return left.flatMap((one) =>
      one.outcome === "kept" ? [{ code: "definition_kept" as const, message: one.why, line: 0 }] : [],
    );
  } catch (error) {
    if (reasonOf(error) === undefined) throw error;
    return [];
  }
}
