import { openCluster } from "../../clusters/openCluster.ts";
import { liveReleases } from "../../helm/liveReleases.ts";
import { releaseValues, uninstallRelease } from "../../helm/upgradeRelease.ts";
import { holdingRelease } from "./releaseLease.ts";
import { type ReleasePlace, releaseProxy } from "./releaseProxy.ts";

/** Takes a release away, hooks included; one that is gone, or belongs to others, is left alone. @throws ChartProblem, ClusterError */
export function removeRelease(place: ReleasePlace): Promise<void> {
  return holdingRelease(place, async () => {
    const { client } = await openCluster(place.clusterId);
    const live = await liveReleases(client, { namespace: place.namespace, release: place.service });
    if (!live.some(({ environmentId }) => environmentId === place.environmentId)) return;
    await uninstallRelease(releaseProxy(client, place, { take: false }), place.service);
  });
}

/** All values that a release was made with, as YAML. @throws ChartProblem, ClusterError */
export async function readReleaseValues(place: ReleasePlace): Promise<string> {
  const { client } = await openCluster(place.clusterId);
  return releaseValues(releaseProxy(client, place, { take: false }), place.service);
}
