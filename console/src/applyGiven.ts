import { applyManifests, environmentDetail, isBusy, type Place, type PreviewObject } from "@slipway/client";
import type { Given } from "./givenFiles.ts";
import { liveMilliseconds } from "./queries.ts";
import { slipway } from "./session.ts";

const mostMilliseconds = 5 * 60_000;

/**
 * Makes the project, services and environment that manifests say, or says what that would do; services that they lack stay.
 * @param cluster id of the cluster of a new environment
 * @throws SlipwayError @throws Error when another change of the environment does not end
 */
export async function applyGiven(
  { services }: Given,
  place: Place,
  cluster: string,
  isPreview: boolean,
): Promise<{ objects: PreviewObject[]; said: string[] }> {
  const said: string[] = [];
  const applier = {
    ...{ slipway: slipway(), cluster: async () => cluster, untilChangeable },
    ...{ say: (text: string) => void said.push(text), show: () => undefined },
  };
  const { objects } = await applyManifests(applier, services, { ...place, prune: false, dryRun: isPreview });
  return { objects, said };
}

async function untilChangeable(place: Place): Promise<void> {
  const end = performance.now() + mostMilliseconds;
  while (isBusy(await environmentDetail(slipway(), place))) {
    if (performance.now() > end) throw new Error(`${place.project}/${place.env} does not take another change yet`);
    await new Promise((resolve) => setTimeout(resolve, liveMilliseconds));
  }
}
