import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { log } from "../../base/settings/log.ts";
import { isKeptByPolicy } from "../../kube/apply/keptByPolicy.ts";
import { removeObjects } from "../../kube/apply/removeObjects.ts";
import type { ClusterClient, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { ClusterNotFound } from "../../kube/client/errors.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { heldBy } from "../../kube/problems/liveReason.ts";
import { type KubeObject, parseManifest } from "../../manifest/parseManifest.ts";
import { askHelm } from "../../packaging/helm/askHelm.ts";
import { ChartProblem } from "../../packaging/helm/chartProblem.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { EnvironmentProblem } from "../failures.ts";
import { type AppliedState, type EnvironmentRecord, findManifest } from "../store/environments.ts";

type Place = Pick<
  EnvironmentRecord,
  "projectKey" | "envKey" | "environmentId" | "clusterId" | "namespace" | "production"
>;

/** How long one call waits for objects to go; what is left then is tried again. */
const waitSeconds = 60;

/**
 * Deletes what a service applied, cluster-scoped objects included, unless others have them too or they say that they are
 * kept (decisions 20.3); may be repeated.
 * @returns why objects stay, each named
 * @throws EnvironmentProblem naming what could not be deleted; ClusterError
 */
export async function removeServiceObjects(place: Place, service: string, deleteCrds = false): Promise<string[]> {
  const manifest = await findManifest(place.projectKey, place.envKey, service);
  if (manifest === undefined) return [];
  if (manifest.isRelease === true) await uninstall(place, service);
  const state: AppliedState = JSON.parse(await readStoredText(manifest.applied));
  // An apply that was cut off has noted nothing yet, but its text says which kinds it may have left.
  const applied = new Set(state.refs.map(objectKey));
  const objects = parseManifest(await readStoredText(manifest.text));
  const planned = objects.map(refOf);
  const named = [
    ...state.refs.filter(({ namespace }) => namespace === undefined),
    ...planned.filter((ref) => !applied.has(objectKey(ref))),
  ];
  const kinds = [...named, ...[...state.refs, ...planned].map(({ apiVersion, kind }) => ({ apiVersion, kind }))];
  if (kinds.length === 0) return [];
  const { client } = await openCluster(place.clusterId);
  const result = await removeObjects(client, {
    environmentId: place.environmentId,
    namespace: place.namespace,
    kinds,
    serviceNames: [service],
    claims: clusterScopedOwnersOf(place, service, deleteCrds),
    keeps: new Set(objects.filter(isKeptByPolicy).map((object) => keyIn(place.namespace, object))),
    waitSeconds,
  });
  if (result.kept.length > 0)
    log.warn("objects kept", { environmentId: place.environmentId, kept: result.kept.join("; ") });
  const problems = [
    ...result.failed.map(({ failure }) => failure.message),
    ...(await Promise.all(result.remaining.map((ref) => remainingSentence(client, ref)))),
  ];
  if (problems.length > 0) throw new EnvironmentProblem(problems.join("; "));
  return result.kept;
}

/** Of an object of a manifest as it is in the cluster. */
function keyIn(namespace: string, object: KubeObject): string {
  return objectKey({ ...refOf(object), namespace });
}

/** With its hooks, which no list of objects knows. */
async function uninstall(place: Place, service: string): Promise<void> {
  const { projectKey, envKey, environmentId, clusterId, namespace, production } = place;
  try {
    await askHelm("uninstall", { projectKey, envKey, environmentId, clusterId, namespace, production, service });
  } catch (error) {
    if (!(error instanceof ChartProblem)) throw error;
    throw new EnvironmentProblem(`release ${service} cannot be uninstalled: ${error.message}`);
  }
}

async function remainingSentence(client: ClusterClient, ref: ObjectRef): Promise<string> {
  const sentence = `${ref.kind} "${ref.name}" is still being deleted`;
  try {
    return sentence + heldBy(await client.get(ref));
  } catch (error) {
    if (error instanceof ClusterNotFound) return sentence;
    throw error;
  }
}
