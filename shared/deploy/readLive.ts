import type { ClusterClient, KindRef, LiveObject } from "../clients/kubernetes/ClusterClient.ts";
import { ClusterKindUnknown } from "../clients/kubernetes/errors.ts";
import { refOf } from "../clients/kubernetes/objectRef.ts";
import { mapBounded } from "./mapBounded.ts";
import { contentHashAnnotation, environmentLabel } from "./marks.ts";
import { kindKey, objectKey } from "./objectKey.ts";

/** Metadata of the platform's objects in one namespace, and of its cluster-scoped ones, by object key. */
export type LiveIndex = ReadonlyMap<string, LiveObject>;

/**
 * Reads what environments own, of whatever environment: one LIST per kind, metadata alone. Kinds that the cluster does
 * not serve have no objects.
 */
export async function readLive(
  client: ClusterClient,
  kinds: readonly KindRef[],
  namespace: string,
  options: { labelSelector?: string; concurrency?: number; signal?: AbortSignal } = {},
): Promise<LiveIndex> {
  const { labelSelector = environmentLabel, concurrency = 32, signal } = options;
  const lists = await mapBounded(distinctKinds(kinds), concurrency, async (kind) => {
    try {
      const { namespaced } = await client.resource(kind);
      const query = { labelSelector, metadataOnly: true, ...(namespaced && { namespace }), ...(signal && { signal }) };
      return (await client.list(kind, query)).items;
    } catch (error) {
      if (error instanceof ClusterKindUnknown) return [];
      throw error;
    }
  });
  return new Map(lists.flat().map((object) => [objectKey(refOf(object)), object]));
}

/** One of each group and kind; the first version named is the one asked for. */
export function distinctKinds(kinds: readonly KindRef[]): KindRef[] {
  const found = new Map<string, KindRef>();
  for (const { apiVersion, kind } of kinds) {
    const key = kindKey({ apiVersion, kind });
    if (!found.has(key)) found.set(key, { apiVersion, kind });
  }
  return [...found.values()];
}

/** Whether the platform applied this object itself, rather than a controller on behalf of one. */
export function isApplied(object: LiveObject): boolean {
  const owned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  return !owned && object.metadata.annotations?.[contentHashAnnotation] !== undefined;
}
