import { randomBytes } from "node:crypto";
import { mapBounded } from "../../base/common/mapBounded.ts";
import { withReplicas } from "../../manifest/replicas.ts";
import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at } from "../../manifest/workloads.ts";
import { type AdoptableManagers, adoptableManagers } from "../apply/adoptFields.ts";
import { namingImmutable } from "../apply/immutableFields.ts";
import { contentHashAnnotation } from "../apply/marks.ts";
import type { PreparedObject } from "../apply/prepareObjects.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { ClusterAlreadyExists, ClusterError, ClusterKindUnknown } from "../client/errors.ts";
import { fieldsOf, podTemplateOf } from "../live/podTemplate.ts";
import { kindKey } from "../objectKey.ts";
import { requestsAtOnce } from "../requestsAtOnce.ts";
import { type ObjectPreview, objectPreview } from "./objectPreview.ts";
import { previewTaken } from "./previewTaken.ts";

export interface PreviewRequest extends CallOptions {
  serviceName: string;
  objects: readonly PreparedObject[];
  /** Live objects by object key, whole. */
  live: ReadonlyMap<string, LiveObject>;
  /** Take over fields that other managers hold, as the change would. */
  force: boolean;
  /** Whose fields would become ours when the apply is forced. */
  takes?: AdoptableManagers;
  /** False: the namespace would be made by the change, so the objects are tried in `default`. */
  namespaceStands: boolean;
}

/**
 * What applying the objects of a service would do, from the API server's own dry run; nothing is written. What the
 * server refuses is returned in its own words.
 * @throws ClusterError only when it is none about a single object
 */
export async function previewObjects(
  client: ClusterClient,
  request: PreviewRequest,
): Promise<{ previews: ObjectPreview[]; refused: string[] }> {
  const refused: string[] = [];
  const previews = await mapBounded(request.objects, requestsAtOnce, async (one) => {
    try {
      const listed = request.live.get(one.key);
      const { object, created } = await next(client, one, listed, request);
      // A cluster-scoped object without our labels was not listed.
      const before = listed ?? (created ? undefined : await client.get(one.ref));
      return [objectPreview(request.serviceName, shown(before), shown(object))];
    } catch (error) {
      if (!(error instanceof ClusterError) || error.retryable) throw error;
      refused.push(namingImmutable(error.message, request.live.get(one.key), one.object));
      return [];
    }
  });
  return { previews: previews.flat(), refused };
}

/** The object as the server would store it. */
async function next(
  client: ClusterClient,
  { object, ref, hash, namespaced, autoscaled }: PreparedObject,
  before: LiveObject | undefined,
  { force, takes = adoptableManagers(), namespaceStands, ...rest }: PreviewRequest,
): Promise<{ object: KubeObject; created: boolean }> {
  const { deadlineSeconds, signal } = rest;
  const call = { ...(deadlineSeconds !== undefined && { deadlineSeconds }), ...(signal && { signal }) };
  try {
    if (!namespaceStands && object.metadata.namespace !== undefined)
      return { object: await elsewhere(client, object, call), created: true };
    // A Job cannot be changed, so the change would put another one in its place.
    if (
      kindKey(ref) === "Job.batch" &&
      before !== undefined &&
      hash !== before.metadata.annotations?.[contentHashAnnotation]
    )
      return { object: await underAnotherName(client, object, call), created: false };
    const applied = await client.apply(object, { force, dryRun: true, ...call });
    if (applied.created) return applied;
    const taken = force ? await previewTaken(client, applied.object, takes, { autoscaled, ...call }) : applied.object;
    // The autoscaler's number stays through the apply.
    const replicas = autoscaled && before !== undefined ? at(before, ["spec", "replicas"]) : undefined;
    return { object: typeof replicas === "number" ? withReplicas(taken, replicas) : taken, created: false };
  } catch (error) {
    // Its definition comes with the same change: no more can be said before the definition exists.
    if (error instanceof ClusterKindUnknown && namespaced !== undefined) return { object, created: true };
    throw error;
  }
}

async function elsewhere(client: ClusterClient, object: KubeObject, call: CallOptions): Promise<KubeObject> {
  const { namespace } = object.metadata;
  try {
    const tried = { ...object, metadata: { ...object.metadata, namespace: "default" } };
    const found = await client.create(tried, { dryRun: true, ...call });
    return { ...found, metadata: { ...found.metadata, ...(namespace !== undefined && { namespace }) } };
  } catch (error) {
    if (error instanceof ClusterAlreadyExists) return object;
    throw error;
  }
}

async function underAnotherName(client: ClusterClient, object: KubeObject, call: CallOptions): Promise<KubeObject> {
  const { name } = object.metadata;
  const tried = { ...object, metadata: { ...object.metadata, name: `preview-${randomBytes(4).toString("hex")}` } };
  const found = await client.create(tried, { dryRun: true, ...call });
  return { ...found, metadata: { ...found.metadata, name } };
}

const jobMarks = new Set([
  "controller-uid",
  "job-name",
  "batch.kubernetes.io/controller-uid",
  "batch.kubernetes.io/job-name",
]);

/** Without the marks by which a Job knows its pods: every Job has its own. */
function shown<T extends KubeObject | undefined>(object: T): T {
  if (object === undefined || kindKey(object) !== "Job.batch") return object;
  const job = structuredClone(object);
  const spec = fieldsOf(job.spec);
  if (at(job, ["spec", "manualSelector"]) !== true) delete spec?.selector;
  for (const labels of [job.metadata.labels, fieldsOf(at(podTemplateOf(job), ["metadata", "labels"]))])
    for (const name of jobMarks) delete labels?.[name];
  return job;
}
