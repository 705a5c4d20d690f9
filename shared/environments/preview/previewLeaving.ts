import { mapBounded } from "../../base/common/mapBounded.ts";
import type { ClusterScopedOwners } from "../../kube/apply/clusterScopedOwners.ts";
import { isKeptByPolicy, policySentence } from "../../kube/apply/keptByPolicy.ts";
import { serviceLabel } from "../../kube/apply/marks.ts";
import type { CallOptions, ClusterClient, LiveObject, ObjectRef } from "../../kube/client/ClusterClient.ts";
import { findObject } from "../../kube/client/findObject.ts";
import { refOf } from "../../kube/client/objectRef.ts";
import { objectKey } from "../../kube/objectKey.ts";
import { type ObjectPreview, objectPreview } from "../../kube/preview/objectPreview.ts";

const concurrency = 16;

/**
 * What would become of objects that services have no more: deleted, or why a cluster-scoped one stays.
 * @param request `listed` as the cluster has them, whole; `unlisted` may carry the labels of other owners
 * @throws ClusterError
 */
export async function previewLeaving(
  client: ClusterClient,
  claims: ClusterScopedOwners,
  request: CallOptions & { serviceName?: string; listed: readonly LiveObject[]; unlisted: readonly ObjectRef[] },
): Promise<ObjectPreview[]> {
  const { serviceName, listed, unlisted, ...call } = request;
  const found = new Map(listed.map((object) => [objectKey(refOf(object)), object]));
  const going = [
    ...listed.map((object) => ({ ref: refOf(object), object })),
    ...unlisted.filter((ref) => !found.has(objectKey(ref))).map((ref) => ({ ref, object: undefined })),
  ];
  const previews = await mapBounded(going, concurrency, async ({ ref, object }) => {
    const service = serviceName ?? object?.metadata.labels?.[serviceLabel] ?? "";
    if (ref.namespace !== undefined) {
      if (object === undefined || !isKeptByPolicy(object)) return [objectPreview(service, object, undefined)];
      return [{ ...objectPreview(service, object, object), note: policySentence(ref) }];
    }
    const left = await claims.leave(client, ref, { listed: object, dryRun: true, ...call });
    if (left.outcome === "absent") return [];
    const live = object ?? (await findObject(client, ref, call));
    if (live === undefined) return [];
    const { foreign } = left;
    if (left.outcome === "shared" || left.outcome === "kept")
      return [{ ...objectPreview(service, live, live), note: left.why, foreign }];
    return [{ ...objectPreview(service, live, undefined), foreign }];
  });
  return previews.flat();
}
