import { readStoredText, type StoredText } from "../../base/aws/objects/objectStore.ts";
import { log } from "../../base/settings/log.ts";
import { isUnnamedRefusal, namingImmutable } from "../../kube/apply/immutableFields.ts";
import { unbounded } from "../../kube/bounds.ts";
import type { ClusterClient, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { RetryableClusterError } from "../../kube/client/errors.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { removeCachedDiscovery } from "../../packaging/helm/cachedDiscovery.ts";
import { chartDefinitions } from "../../packaging/helm/chartDefinitions.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import { readStoredChart } from "../../packaging/helm/chartStore.ts";
import type { ProxiedCluster } from "../../packaging/helm/kubeProxy.ts";
import { isPending, type LiveRelease, liveReleases } from "../../packaging/helm/liveReleases.ts";
import { readStoredRelease } from "../../packaging/helm/storedRelease.ts";
import {
  type HelmLimits,
  uninstallRelease,
  upgradeRelease,
  type WantedRelease,
} from "../../packaging/helm/upgradeRelease.ts";
import { installDefinitions } from "../apply/applyDefinitions.ts";
import type { Outcome } from "../apply/applyPlannedServices.ts";
import { releaseObjects } from "../clusterObjects/releaseObjects.ts";
import { reasonOf } from "../failures.ts";
import { nothingApplied } from "../plan/recordPlannedServices.ts";
import type { PlannedRelease, ServicePlan } from "../store/changes.ts";
import type { AppliedState, EnvironmentManifest } from "../store/environments.ts";
import { adoptRelease } from "./adoptRelease.ts";
import { findLastGood, isSameText, type LastGood, standsAs } from "./lastGoodRelease.ts";
import { pinnedImage, prepareRelease, type ReleasePlace, releaseProxy } from "./releaseProxy.ts";
import { releaseText } from "./releaseText.ts";

export type ReleasePlan = Pick<ServicePlan, "containers" | "replicas" | "text"> & { release: PlannedRelease };

export interface Brought {
  outcome: Outcome;
  /** What Helm applied last (decisions 20.1); absent where it applied nothing. */
  text?: StoredText;
  /** The revision in the cluster that is as planned. */
  revision?: number;
  /** It existed already. */
  unchanged?: true;
  /** What exists instead of what was planned. */
  instead?: LastGood;
}

interface Bringing extends HelmLimits {
  /** Whose new revision it is: a change of the environment, or the try of a job. */
  changeId: string;
  /** Whether a cluster that does not answer is thrown, for a caller that asks again. */
  asksAgain: boolean;
}

/**
 * Makes a release what was planned; one that fails goes back to the last good one (decisions 11.6). The rest of a Helm
 * that was cut off is cleared away first. The caller holds the release.
 * @param manifest what existed before
 * @throws RetryableClusterError where it `asksAgain`
 */
export async function installRelease(
  place: ReleasePlace,
  plan: ReleasePlan,
  manifest: EnvironmentManifest | undefined,
  { changeId, asksAgain, ...limits }: Bringing,
): Promise<Brought> {
  const before: AppliedState =
    manifest === undefined ? nothingApplied : JSON.parse(await readStoredText(manifest.applied));
  try {
    const { client } = await openCluster(place.clusterId);
    if (plan.release.adopted !== undefined) return await adopt(client, place, plan, plan.release.adopted);
    const live = await clearPending(client, place);
    if (live[0] !== undefined && isOf(changeId, live[0])) return await noted(client, place, plan, before, live[0]);
    const lastGood = await findLastGood(place);
    if (lastGood !== undefined && standsAs(plan, lastGood, live[0]) && isSameText(plan.text, lastGood.text))
      return { outcome: succeeded(before), revision: lastGood.release.revision, unchanged: true };
    const door = releaseProxy(client, place, {
      ...{ replicas: plan.replicas, take: true },
      image: pinnedImage(plan.release.pins),
    });
    const wanted = await wantedOf(place, plan.release, { changeId });
    let definitions: KubeObject[];
    try {
      definitions = await installCrds(door, client, place, wanted, before.refs);
    } catch (error) {
      if (!(error instanceof ChartProblem)) throw error;
      // Helm has touched nothing yet.
      return { outcome: failed(plan, before, error.message), ...(lastGood && { instead: lastGood }) };
    }
    try {
      const { revision, manifest: applied } = await upgradeRelease(door, wanted, limits);
      const text = await releaseText(definitions, applied);
      return { outcome: succeeded(await standing(client, place, text, before)), revision, text };
    } catch (error) {
      if (!(error instanceof ChartProblem)) throw error;
      const problem = await namingFields(error.message, lastGood, plan);
      return await goBack(client, place, { plan, before, lastGood, problem });
    }
  } catch (error) {
    if (asksAgain && error instanceof RetryableClusterError) throw error;
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    return { outcome: failed(plan, before, reason) };
  }
}

async function adopt(client: ClusterClient, place: ReleasePlace, plan: ReleasePlan, adopted: number): Promise<Brought> {
  try {
    const refs = (await adoptRelease(client, place, { text: plan.text, adopted })).map(({ ref }) => ref);
    return { outcome: succeeded({ refs, marks: {} }), revision: adopted };
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    return { outcome: failed(plan, nothingApplied, error.message) };
  }
}

async function wantedOf(
  { service, environmentId }: ReleasePlace,
  { chart, values }: PlannedRelease,
  told: Pick<WantedRelease, "changeId" | "description">,
): Promise<WantedRelease> {
  const [archive, text] = await Promise.all([readStoredChart(chart), readStoredText(values)]);
  return { name: service, environmentId, archive, values: text, ...told };
}

/** What Helm was told of an object that cannot be changed so, with the fields that changed. */
async function namingFields(problem: string, lastGood: LastGood | undefined, plan: ReleasePlan): Promise<string> {
  if (lastGood === undefined || !isUnnamedRefusal(problem)) return problem;
  const [before, after] = await Promise.all(
    [lastGood.text, plan.text].map(async (text) => parseManifest(await readStoredText(text))),
  );
  return (after ?? []).reduce((told, object) => {
    const stood = before?.find((one) => one.kind === object.kind && one.metadata.name === object.metadata.name);
    return told.includes(`"${object.metadata.name}"`) ? namingImmutable(told, stood, object) : told;
  }, problem);
}

/** What a failed upgrade leaves is taken back; a first installation goes away. */
async function goBack(
  client: ClusterClient,
  place: ReleasePlace,
  {
    plan,
    before,
    lastGood,
    problem,
  }: { plan: ReleasePlan; before: AppliedState; lastGood: LastGood | undefined; problem: string },
): Promise<Brought> {
  try {
    if (lastGood === undefined) {
      await uninstallRelease(releaseProxy(client, place, { take: false }), place.service);
      return { outcome: failed(plan, nothingApplied, problem) };
    }
    await clearPending(client, place);
    const door = releaseProxy(
      client,
      { ...place, bounds: { ...unbounded, extraKinds: place.bounds?.extraKinds ?? [], systemRoles: true } },
      {
        ...{ replicas: { ...lastGood.replicas, ...plan.replicas }, take: true },
        image: pinnedImage(lastGood.release.pins),
      },
    );
    const told = { description: `Rollback to ${lastGood.release.revision}` };
    const wanted = await wantedOf(place, lastGood.release, told);
    const definitions = await installCrds(door, client, place, wanted, before.refs);
    const { manifest } = await upgradeRelease(door, wanted);
    const text = await releaseText(definitions, manifest);
    const state = await stateOf(client, place, text);
    return {
      outcome: failed(plan, state, `${problem}; the release is back at version ${lastGood.version}`),
      ...{ text, instead: lastGood },
    };
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    log.warn("release not taken back", {
      environmentId: place.environmentId,
      service: place.service,
      internal: error.message,
    });
    const state = await stateOf(client, place, plan.text);
    return { outcome: failed(plan, state, `${problem}; taking the release back failed too: ${error.message}`) };
  }
}

/** Takes away what a Helm that was cut off left: it would refuse every later upgrade. */
async function clearPending(client: ClusterClient, { namespace, service }: ReleasePlace): Promise<LiveRelease[]> {
  const live = await liveReleases(client, { namespace, release: service });
  const pending = live.filter(isPending);
  for (const { secret, status } of pending) {
    log.warn("pending release cleared", { namespace, service, status });
    await client.remove({ apiVersion: "v1", kind: "Secret", namespace, name: secret });
  }
  return live.filter((release) => !isPending(release));
}

/** Helm ended before it could be noted: once is enough, for its hooks ran. */
function isOf(changeId: string, { status, changeId: made }: LiveRelease): boolean {
  return status === "deployed" && made === changeId;
}

/** What was made for this change already, as Helm's own record has it. */
async function noted(
  client: ClusterClient,
  place: ReleasePlace,
  plan: ReleasePlan,
  before: AppliedState,
  { revision, secret }: LiveRelease,
): Promise<Brought> {
  const wanted = await wantedOf(place, plan.release, {});
  const [{ manifest }, definitions] = await Promise.all([
    readStoredRelease(client, { namespace: place.namespace, secret }),
    chartDefinitions(releaseProxy(client, place, { take: false }), wanted),
  ]);
  const text = await releaseText(definitions, manifest ?? "");
  return { outcome: succeeded(await standing(client, place, text, before)), revision, text };
}

/** What exists now; an object that belongs to no namespace and is no longer part of it is free for others. */
async function standing(
  client: ClusterClient,
  place: ReleasePlace,
  text: StoredText,
  before: AppliedState,
): Promise<AppliedState> {
  const state = await stateOf(client, place, text);
  const now = new Set(state.refs.map(objectKey));
  const left = before.refs.filter((ref) => ref.namespace === undefined && !now.has(objectKey(ref)));
  await releaseObjects(place, [{ name: place.service, clusterObjects: left }]);
  return state;
}

async function stateOf(client: ClusterClient, place: ReleasePlace, text: StoredText): Promise<AppliedState> {
  const prepared = await prepareRelease(client, place, parseManifest(await readStoredText(text)), { take: false });
  return { refs: prepared.map(({ ref }) => ref), marks: {} };
}

function succeeded(state: AppliedState): Outcome {
  return { state, error: "", refused: [], notUpdatedContainers: [], missingKinds: false };
}

function failed(plan: ReleasePlan, state: AppliedState, error: string): Outcome {
  return { ...succeeded(state), error, notUpdatedContainers: plan.containers.map(({ name }) => name) };
}

/**
 * Applies what a chart has in `crds/` until it is served, ahead of the release (decisions 11.5). A kind that others brought
 * with other fields is not taken from them: Helm itself leaves such a one as it is.
 * @param before what the service has in the cluster
 * @returns the definitions, as they were applied
 * @throws ChartProblem telling which definition was refused and why; ClusterError
 */
async function installCrds(
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
    const refused = await installDefinitions(client, place, place.service, part, { force });
    removeCachedDiscovery(door.client);
    if (refused.length > 0) throw new ChartProblem(refused.join("; "));
  }
  return definitions;
}
