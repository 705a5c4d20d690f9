import { readStoredText, type StoredText, storeText } from "../../base/aws/objects/objectStore.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { contentHashAnnotation, environmentLabel } from "../../kube/apply/marks.ts";
import { objectLabels, type PreparedObject } from "../../kube/apply/prepareObjects.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { ClusterNotFound } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { ServiceContainer } from "../../manifest/containers.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { dumpYaml } from "../../manifest/parseYaml.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import { type ChartRef, storeChart } from "../../packaging/helm/chartStore.ts";
import { isPending, type LiveRelease, liveReleases } from "../../packaging/helm/liveReleases.ts";
import { type Chart, packedAgain, readArchive } from "../../packaging/helm/readArchive.ts";
import type { ImagePatterns } from "../../packaging/helm/rules/imagePatterns.ts";
import { mergeValues } from "../../packaging/helm/rules/mergeValues.ts";
import { valueImages } from "../../packaging/helm/rules/valueImages.ts";
import { readStoredRelease, type StoredRelease } from "../../packaging/helm/storedRelease.ts";
import { applyScope } from "../apply/applyScope.ts";
import { ownersOn } from "../resolveOwner.ts";
import { prepareRelease, type ReleasePlace } from "./releaseProxy.ts";

export interface ReleaseToAdopt {
  place: ReleasePlace;
  /** Of the service that takes it over. */
  chart: ChartRef;
  /** By which its images are found. */
  patterns: ImagePatterns;
}

/** A release as it is in the cluster. */
export interface FoundRelease {
  revision: number;
  chart: ChartRef;
  /** What it was made with over the values of its chart. */
  values: StoredText;
  containers: ServiceContainer[];
  text: StoredText;
}

const atOnce = 8;

/**
 * Reads the release that a service is to take over, whatever made it: chart, values and manifest (contract P 16.3).
 * @throws ChartProblem when there is none, it belongs to another environment, is not in order, or its chart is another
 * one or cannot be obtained again; ClusterError
 */
export async function readRelease({ place, chart, patterns }: ReleaseToAdopt): Promise<FoundRelease> {
  const { namespace, service } = place;
  const { client } = await openCluster(place.clusterId);
  const newest = requireWhole(place, await liveReleases(client, { namespace, release: service }));
  const owner = newest.environmentId;
  if (owner !== undefined && owner !== place.environmentId && (await ownersOn(place.clusterId)(owner)) !== undefined)
    throw new ChartProblem(`release ${service} in namespace ${namespace} belongs to another environment`);
  const release = await readStoredRelease(client, { namespace, secret: newest.secret });
  const used = await chartToGoOnWith(place, chart, release);
  const config = release.config ?? {};
  const text = release.manifest ?? "";
  await prepareRelease(client, place, parseManifest(text), { take: false, podsAsTheyAre: true });
  return {
    revision: newest.revision,
    chart: used,
    values: await storeText(Object.keys(config).length === 0 ? "" : dumpYaml(config)),
    containers: valueImages(mergeValues(release.chart.values ?? {}, config), patterns),
    text: await storeText(text),
  };
}

/**
 * Makes an existing release the service's own: its objects and all revisions in Helm's own record get our labels, its
 * pods do not, so that none is restarted. May be repeated.
 * @returns its objects
 * @throws ChartProblem when it is no longer the revision that was read; ClusterError
 */
export async function adoptRelease(
  client: ClusterClient,
  place: ReleasePlace,
  { text, adopted }: { text: StoredText; adopted: number },
): Promise<PreparedObject[]> {
  const { namespace, service, environmentId } = place;
  const live = await liveReleases(client, { namespace, release: service });
  const newest = requireWhole(place, live);
  if (newest.revision !== adopted)
    throw new ChartProblem(
      `release ${service} went from revision ${adopted} to ${newest.revision} while it was taken over; import it again`,
    );
  const objects = parseManifest(await readStoredText(text));
  const admitted = { ...place, bounds: undefined };
  const prepared = await prepareRelease(client, admitted, objects, { take: true, podsAsTheyAre: true });
  await mapBounded(prepared, atOnce, (one) => mark(client, place, one));
  // Last, for from here on the release is known to be ours; a `helm rollback` takes the labels of the revision it goes to.
  const label = { metadata: { labels: { [environmentLabel]: environmentId } } };
  await mapBounded(live, atOnce, async ({ secret: name }) => {
    await patchIfThere(client, { apiVersion: "v1", kind: "Secret", namespace, name }, label);
  });
  return prepared;
}

/** What is not there, drift shows. */
async function mark(client: ClusterClient, place: ReleasePlace, one: PreparedObject): Promise<void> {
  const { labels = {}, annotations = {} } = one.object.metadata;
  const ours = Object.keys(objectLabels(applyScope(place, place.service), one.namespaced === false));
  const metadata = {
    labels: Object.fromEntries(ours.map((name) => [name, labels[name]])),
    annotations: { [contentHashAnnotation]: annotations[contentHashAnnotation] },
  };
  await patchIfThere(client, one.ref, { metadata });
}

async function patchIfThere(
  client: ClusterClient,
  ref: Parameters<ClusterClient["patch"]>[0],
  body: object,
): Promise<void> {
  try {
    await client.patch(ref, { type: "merge", body });
  } catch (error) {
    if (!(error instanceof ClusterNotFound)) throw error;
  }
}

function requireWhole({ namespace, service }: ReleasePlace, live: readonly LiveRelease[]): LiveRelease {
  const [newest] = live;
  if (newest === undefined || newest.status === "uninstalled")
    throw new ChartProblem(
      `there is no release ${service} in namespace ${namespace} to import; deploy_strategy deploy installs the service`,
    );
  if (isPending(newest))
    throw new ChartProblem(
      `release ${service} is ${newest.status}: Helm works on it, or was cut off; end that with helm rollback before it is imported`,
    );
  if (newest.status !== "deployed")
    throw new ChartProblem(
      `revision ${newest.revision} of release ${service} is ${newest.status}; go back to one that works with helm rollback before it is imported`,
    );
  return newest;
}

/** The release's own chart; where Helm keeps only a part of it, the service's, if that is the same version. */
async function chartToGoOnWith({ service }: ReleasePlace, own: ChartRef, release: StoredRelease): Promise<ChartRef> {
  const { name, version } = release.chart.metadata;
  if (name !== own.name)
    throw new ChartProblem(
      `release ${service} is of chart ${name} and service ${service} of chart ${own.name}; only a release of the service's own chart can be imported`,
    );
  const kept = await chartOfRelease(release);
  if (kept !== undefined) return storeChart(kept);
  if (version === own.version) return own;
  throw new ChartProblem(
    `chart ${name} ${version} of release ${service} has dependencies, which Helm does not keep in a release, and the service has version ${own.version}; load the service with ${version} to import it`,
  );
}

/**
 * The chart of a release, put together from what Helm keeps of it. Helm does not keep charts in its `charts/` folder,
 * so that a chart with dependencies cannot be made again.
 * @returns undefined for a chart with dependencies
 * @throws ChartProblem for what is no chart
 */
async function chartOfRelease({ chart, manifest }: StoredRelease): Promise<Chart | undefined> {
  const { metadata, lock, values, schema, templates, files } = chart;
  const needs = Array.isArray(metadata.dependencies) && metadata.dependencies.length > 0;
  if (needs || /^# Source: [^/\n]+\/charts\//m.test(manifest ?? "")) return undefined;
  const content = new Map<string, Buffer>();
  for (const { name, data } of [...(files ?? []), ...(templates ?? [])])
    content.set(name, Buffer.from(data ?? "", "base64"));
  content.set("Chart.yaml", Buffer.from(dumpYaml(metadata)));
  content.set("values.yaml", Buffer.from(dumpYaml(values ?? {})));
  if (lock) content.set("Chart.lock", Buffer.from(dumpYaml(lock)));
  if (schema) content.set("values.schema.json", Buffer.from(schema, "base64"));
  return readArchive(await packedAgain(metadata.name, content));
}
