import type { CallOptions, ClusterClient, LiveObject } from "../../clients/kubernetes/ClusterClient.ts";
import { refOf } from "../../clients/kubernetes/objectRef.ts";
import { loadText } from "../../clients/objects/objectStore.ts";
import { openCluster } from "../../clusters/openCluster.ts";
import { mapBounded } from "../../deploy/mapBounded.ts";
import { environmentLabel, serviceLabel } from "../../deploy/marks.ts";
import { type ObjectPreview, objectPreview } from "../../deploy/preview/objectPreview.ts";
import { isApplied } from "../../deploy/readLive.ts";
import { readWhole } from "../../deploy/readWhole.ts";
import { type AppliedState, type EnvironmentRecord, findManifest } from "../../store/environments.ts";
import { checkSeconds } from "../limits.ts";

type Place = Pick<EnvironmentRecord, "projectKey" | "envKey" | "environmentId" | "clusterId" | "namespace">;
const concurrency = 16;

/**
 * The objects that taking services away would delete, each after the API server's dry run of the deletion; with
 * `everything` also what the environment has beside its services.
 * @throws ClusterError
 */
export async function previewRemoval(
  place: Place,
  services: readonly string[],
  options: { everything?: readonly { apiVersion: string; kind: string }[] } = {},
): Promise<ObjectPreview[]> {
  const { client } = await openCluster(place.clusterId);
  const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
  const kinds = (await Promise.all(services.map((service) => kindsOf(place, service)))).flat();
  const { objects } = await readWhole(client, [...kinds, ...(options.everything ?? [])], place, call);
  const going = objects.filter((object) => {
    const { labels, deletionTimestamp } = object.metadata;
    const named = options.everything !== undefined || services.includes(labels?.[serviceLabel] ?? "");
    return named && labels?.[environmentLabel] === place.environmentId && !deletionTimestamp && isApplied(object);
  });
  return mapBounded(going, concurrency, (object) => previewDeletion(client, object, call));
}

/** @throws ClusterError when the server would refuse the deletion */
export async function previewDeletion(
  client: ClusterClient,
  object: LiveObject,
  call: CallOptions,
): Promise<ObjectPreview> {
  await client.remove(refOf(object), { uid: object.metadata.uid, dryRun: true, ...call });
  return objectPreview(object.metadata.labels?.[serviceLabel] ?? "", object, undefined);
}

async function kindsOf({ projectKey, envKey }: Place, service: string): Promise<AppliedState["refs"]> {
  const manifest = await findManifest(projectKey, envKey, service);
  if (manifest === undefined) return [];
  const { refs }: AppliedState = JSON.parse(await loadText(manifest.applied));
  return refs;
}
