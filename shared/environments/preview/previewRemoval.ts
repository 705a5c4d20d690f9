import { readStoredText } from "../../base/aws/objects/objectStore.ts";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { isKeptByPolicy, policySentence } from "../../kube/apply/keptByPolicy.ts";
import { environmentLabel, serviceLabel } from "../../kube/apply/marks.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { hookSentence, isHook } from "../../kube/isHook.ts";
import { isApplied } from "../../kube/live/readLive.ts";
import { readWhole } from "../../kube/live/readWhole.ts";
import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";
import { clusterScopedOwnersOf } from "../clusterObjects/clusterScopedOwnersOf.ts";
import { checkSeconds } from "../limits.ts";
import { type AppliedState, type EnvironmentRecord, findManifest } from "../store/environments.ts";
import { previewLeaving } from "./previewLeaving.ts";

type Place = Pick<
  EnvironmentRecord,
  "projectKey" | "envKey" | "environmentId" | "clusterId" | "namespace" | "production"
>;
const concurrency = 16;

interface RemovalOptions {
  /** Kinds that the environment has beside its services. */
  everything?: readonly { apiVersion: string; kind: string }[];
  deleteCrds?: boolean | undefined;
  /** Everything in the namespace goes, also what says that it stays. */
  namespaceGoes?: boolean;
}

/**
 * The objects that taking services away would delete, each after the API server's dry run of the deletion; with
 * `everything` also what the environment has beside its services.
 * @throws ClusterError
 */
export async function previewRemoval(
  place: Place,
  services: readonly string[],
  options: RemovalOptions = {},
): Promise<ObjectPreview[]> {
  const { client } = await openCluster(place.clusterId);
  const call = { signal: AbortSignal.timeout(checkSeconds * 1000), deadlineSeconds: checkSeconds };
  const refs = (await Promise.all(services.map((service) => refsOf(place, service)))).flat();
  const { objects } = await readWhole(client, [...refs, ...(options.everything ?? [])], place, call);
  const mine = objects.filter((object) => {
    const { labels, deletionTimestamp } = object.metadata;
    const named = options.everything !== undefined || services.includes(labels?.[serviceLabel] ?? "");
    return named && labels?.[environmentLabel] === place.environmentId && !deletionTimestamp;
  });
  const going = mine.filter(isApplied);
  const hooks = options.namespaceGoes === true ? [] : mine.filter(isHook);
  const inNamespace = going.filter(({ metadata }) => metadata.namespace !== undefined);
  const shared = previewLeaving(client, clusterScopedOwnersOf(place, undefined, options.deleteCrds), {
    listed: going.filter(({ metadata }) => metadata.namespace === undefined),
    unlisted: refs.filter(({ namespace }) => namespace === undefined),
    ...call,
  });
  const keeps = (object: LiveObject) => options.namespaceGoes !== true && isKeptByPolicy(object);
  const previews = mapBounded(inNamespace, concurrency, async (object) =>
    keeps(object) ? previewKept(object, policySentence(refOf(object))) : previewDeletion(client, object, call),
  );
  const left = hooks.map((hook) => previewKept(hook, hookSentence(refOf(hook))));
  return (await Promise.all([previews, shared, left])).flat();
}

function previewKept(object: LiveObject, note: string): ObjectPreview {
  const service = object.metadata.labels?.[serviceLabel] ?? "";
  return { ...objectPreview(service, object, object), note };
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

async function refsOf({ projectKey, envKey }: Place, service: string): Promise<AppliedState["refs"]> {
  const manifest = await findManifest(projectKey, envKey, service);
  if (manifest === undefined) return [];
  const { refs }: AppliedState = JSON.parse(await readStoredText(manifest.applied));
  return refs;
}
