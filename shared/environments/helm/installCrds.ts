import { forgetCachedDiscovery } from "../../helm/cachedDiscovery.ts";
import { chartDefinitions } from "../../helm/chartDefinitions.ts";
import { ChartProblem } from "../../helm/chartProblem.ts";
import type { ProxiedCluster } from "../../helm/kubeProxy.ts";
import type { WantedRelease } from "../../helm/upgradeRelease.ts";
import type { ClusterClient, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { objectKey } from "../../kube/objectKey.ts";
import type { KubeObject } from "../../manifest/kubeObject.ts";
import { bringDefinitions } from "../applyDefinitions.ts";
import type { ReleasePlace } from "./releaseProxy.ts";

/**
 * Applies what a chart has in `crds/` until it is served, ahead of the release (decisions 11.5). A kind that others brought
 * with other fields is not taken from them: Helm itself leaves such a one as it is.
 * @param before what the service has in the cluster
 * @returns the definitions, as they were applied
 * @throws ChartProblem telling which definition was refused and why; ClusterError
 */
export async function installCrds(
  door: ProxiedCluster,
  client: ClusterClient,
  place: ReleasePlace,
  wanted: WantedRelease,
  before: readonly ObjectRef[],
): Promise<KubeObject[]> {
  const definitions = await chartDefinitions(door, wanted);
  const had = new Set(before.map(objectKey));
  for (const force of [true, false]) {
    const part = definitions.filter((definition) => had.has(objectKey(refOf(definition))) === force);
    if (part.length === 0) continue;
    const refused = await bringDefinitions(client, place, place.service, part, { force });
    forgetCachedDiscovery(door.client);
    if (refused.length > 0) throw new ChartProblem(refused.join("; "));
  }
  return definitions;
}
