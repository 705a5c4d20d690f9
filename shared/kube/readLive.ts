import { mapBounded } from "../values/mapBounded.ts";
import type { ApplyRequest } from "./applyObjects.ts";
import type { ClusterClient, KindRef, LiveObject, ObjectRef } from "./client/ClusterClient.ts";
import { ClusterKindUnknown } from "./client/errors.ts";
import { refOf } from "./client/objectRef.ts";
import { contentHashAnnotation, environmentLabel, serviceLabel } from "./marks.ts";
import { kindKey, objectKey } from "./objectKey.ts";

const defaultConcurrency = 32;

/** Objects of one kind that are asked for one by one rather than by reading all of the kind. */
const maxAskedByName = 3;

/** Metadata of the platform's objects in one namespace, and of its cluster-scoped ones, by object key. */
export type LiveIndex = ReadonlyMap<string, LiveObject>;

/** Which objects of a kind are read; those of environments unless something else is said, and all where it is `""`. */
interface ReadOptions {
  labelSelector?: string;
  fieldSelector?: string;
  concurrency?: number;
  signal?: AbortSignal;
}

/**
 * Reads what environments own, of whatever environment: one LIST per kind, metadata alone. Kinds that the cluster does
 * not serve have no objects.
 */
export async function readLive(
  client: ClusterClient,
  kinds: readonly KindRef[],
  namespace: string,
  options: ReadOptions = {},
): Promise<LiveIndex> {
  const { labelSelector = environmentLabel, fieldSelector, concurrency = defaultConcurrency, signal } = options;
  const lists = await mapBounded(distinctKinds(kinds), concurrency, async (kind) => {
    try {
      const { namespaced } = await client.resource(kind);
      const query = {
        metadataOnly: true,
        ...(labelSelector !== "" && { labelSelector }),
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
 * Reads what applying one service has to know: every object that it owns, and who else owns one that it names; with
 * `force` also those that nobody owns. What the last apply recorded is expected among its own; few others of a kind are
 * asked for by name, many by reading all of the kind, both at the same time. What is missing in spite of its record is
 * looked for once more in the same way: other hands took its labels, or all of it.
 */
export async function readLiveOf(
  client: ClusterClient,
  request: Pick<ApplyRequest, "objects" | "previous" | "scope" | "force">,
  options: Pick<ReadOptions, "concurrency" | "signal"> = {},
): Promise<LiveIndex> {
  const { objects, previous, scope, force } = request;
  const { namespace, environmentId, serviceName } = scope;
  const of = (kind: KindRef, refs: readonly ObjectRef[]) => refs.filter((ref) => kindKey(ref) === kindKey(kind));
  const read = async (kinds: readonly KindRef[], which: ReadOptions) => [
    ...(await readLive(client, kinds, namespace, { ...options, ...which })),
  ];
  const labelSelector = force ? "" : environmentLabel;
  const find = async (kind: KindRef, refs: readonly ObjectRef[]) =>
    refs.length > maxAskedByName
      ? read([kind], { labelSelector })
      : (
          await Promise.all(
            refs.map(({ name }) => read([kind], { labelSelector, fieldSelector: `metadata.name=${name}` })),
          )
        ).flat();

  const wanted = objects.map(({ ref }) => ref);
  const recorded = new Set(previous.map(objectKey));
  const isNew = (ref: ObjectRef) => !recorded.has(objectKey(ref));
  const kinds = distinctKinds([...wanted, ...previous]);
  const newOf = (kind: KindRef) => of(kind, wanted).filter(isNew);
  const own = { labelSelector: `${environmentLabel}=${environmentId},${serviceLabel}=${serviceName}` };
  const expecting = kinds.filter((kind) => newOf(kind).length <= maxAskedByName);
  const found = await Promise.all([read(expecting, own), ...kinds.map((kind) => find(kind, newOf(kind)))]);
  const known = new Map(found.flat());
  const missing = wanted.filter((ref) => !isNew(ref) && !known.has(objectKey(ref)));
  const rest = await Promise.all(expecting.map((kind) => find(kind, of(kind, missing))));
  return new Map([...known, ...rest.flat()]);
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
