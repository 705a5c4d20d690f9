import { mapBounded } from "../values/mapBounded.ts";
import type { ApplyRequest } from "./applyObjects.ts";
import type { ClusterClient, KindRef, LiveObject } from "./client/ClusterClient.ts";
import { ClusterKindUnknown } from "./client/errors.ts";
import { refOf } from "./client/objectRef.ts";
import { contentHashAnnotation, environmentLabel, serviceLabel } from "./marks.ts";
import { kindKey, objectKey } from "./objectKey.ts";

const defaultConcurrency = 32;

/** Objects of one kind that are asked for one by one rather than by reading all of the kind. */
const maxAskedByName = 3;

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
  options: { labelSelector?: string; fieldSelector?: string; concurrency?: number; signal?: AbortSignal } = {},
): Promise<LiveIndex> {
  const { labelSelector = environmentLabel, fieldSelector, concurrency = defaultConcurrency, signal } = options;
  const lists = await mapBounded(distinctKinds(kinds), concurrency, async (kind) => {
    try {
      const { namespaced } = await client.resource(kind);
      const query = {
        ...{ labelSelector, metadataOnly: true },
        ...(fieldSelector !== undefined && { fieldSelector }),
        ...(namespaced && { namespace }),
        ...(signal && { signal }),
      };
      return (await client.list(kind, query)).items;
    } catch (error) {
      if (error instanceof ClusterKindUnknown) return [];
      throw error;
    }
  });
  return new Map(lists.flat().map((object) => [objectKey(refOf(object)), object]));
}

/**
 * Reads what applying one service has to know: every object that it owns, and who else owns one that it names. A service
 * that names few objects of a kind is asked for by name: in an environment of many services everything else would be
 * read again for each of them.
 */
export async function readLiveOf(
  client: ClusterClient,
  { objects, previous, scope }: Pick<ApplyRequest, "objects" | "previous" | "scope">,
  options: { concurrency?: number; signal?: AbortSignal } = {},
): Promise<LiveIndex> {
  const { namespace, environmentId, serviceName } = scope;
  const kinds = distinctKinds([...objects.map(({ ref }) => ref), ...previous]);
  const namedOf = (kind: KindRef) => objects.filter(({ ref }) => kindKey(ref) === kindKey(kind));
  const few = kinds.filter((kind) => namedOf(kind).length <= maxAskedByName);
  const labelSelector = `${environmentLabel}=${environmentId},${serviceLabel}=${serviceName}`;
  const [all, own] = await Promise.all([
    readLive(
      client,
      kinds.filter((kind) => !few.includes(kind)),
      namespace,
      options,
    ),
    readLive(client, few, namespace, { ...options, labelSelector }),
  ]);
  const missing = few.flatMap(namedOf).filter(({ key }) => !own.has(key));
  const found = await mapBounded(missing, options.concurrency ?? defaultConcurrency, ({ ref }) =>
    readLive(client, [ref], namespace, { ...options, fieldSelector: `metadata.name=${ref.name}` }),
  );
  return new Map([all, own, ...found].flatMap((index) => [...index]));
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
