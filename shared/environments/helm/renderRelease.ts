import { readStoredText, type StoredText } from "../../base/aws/objects/objectStore.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { SetReplicas } from "../../manifest/replicas.ts";
import { chartDefinitions } from "../../packaging/helm/chartDefinitions.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import { readStoredChart } from "../../packaging/helm/chartStore.ts";
import { liveReleases } from "../../packaging/helm/liveReleases.ts";
import { previewRelease } from "../../packaging/helm/upgradeRelease.ts";
import { ownersOn } from "../resolveOwner.ts";
import { type ReleasePlace, releaseProxy } from "./releaseProxy.ts";
import { releaseText } from "./releaseText.ts";

export interface ReleaseToRender {
  place: ReleasePlace;
  chart: { digest: string };
  values: StoredText;
  replicas?: Record<string, number> | undefined;
}

export interface RenderedRelease {
  text: StoredText;
  /** Of hooks too, which the text leaves out. */
  images: string[];
  /** How many pods the chart itself gives each workload that no autoscaler scales, by `workloadKey`. */
  renderedReplicas: SetReplicas;
}

/** Less than a caller of the API waits (decisions 11.3). */
const renderSeconds = 20;

/**
 * The manifest that a release would have, definitions of kinds first, as the API server would take it (decisions 11.7).
 * @throws ChartProblem telling which template or object is wrong; ClusterError
 */
export async function renderRelease({ place, chart, values, replicas }: ReleaseToRender): Promise<RenderedRelease> {
  const { client } = await openCluster(place.clusterId);
  const release = { namespace: place.namespace, release: place.service };
  const [[newest], archive, text] = await Promise.all([
    liveReleases(client, release),
    readStoredChart(chart),
    readStoredText(values),
  ]);
  if (newest !== undefined && newest.environmentId !== place.environmentId)
    throw new ChartProblem(await othersSentence(place, newest.environmentId));
  const wanted = { name: place.service, environmentId: place.environmentId, archive, values: text };
  const images = new Set<string>();
  const seen = (name: string) => {
    images.add(name);
    return name;
  };
  let counts: SetReplicas = {};
  const counted = (rendered: SetReplicas) => {
    counts = rendered;
  };
  const door = releaseProxy(client, place, { replicas, take: false, image: seen, counted });
  const definitions = await chartDefinitions(door, wanted);
  const options = { seconds: renderSeconds, definesKinds: definitions.length > 0 };
  const { manifest } = await previewRelease(door, wanted, options);
  return { text: await releaseText(definitions, manifest), images: [...images].sort(), renderedReplicas: counts };
}

/** Why a release that exists already is not upgraded. @param owner the environment that made it, if one did */
async function othersSentence({ clusterId, namespace, service }: ReleasePlace, owner?: string): Promise<string> {
  const known = owner === undefined ? undefined : await ownersOn(clusterId)(owner);
  const release = `release ${service}`;
  if (known !== undefined)
    return `${release} in namespace ${namespace} belongs to environment ${known.environmentKey} of project ${known.projectKey}`;
  const maker = owner === undefined ? "it was not made by Slipway" : "the environment that made it exists no longer";
  return `${release} exists in namespace ${namespace} already, and ${maker}; take it over with deploy_strategy import, uninstall it, or use another namespace`;
}
