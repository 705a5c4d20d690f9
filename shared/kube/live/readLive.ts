import { mapBounded } from "../../base/common/mapBounded.ts";
import type { ApplyRequest } from "../apply/applyObjects.ts";
import { contentHashAnnotation, environmentLabel, serviceLabel } from "../apply/marks.ts";
import type { ClusterClient, KindRef, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterKindUnknown } from "../client/errors.ts";
import { refOf } from "../client/objectRef.ts";
import { isHook } from "../isHook.ts";
import { kindKey, objectKey } from "../objectKey.ts";
import { requestsAtOnce } from "../requestsAtOnce.ts";

/** Objects of one kind that are asked for one by one rather than by reading all of the kind. */
const maxAskedByName = 3;

/** Metadata of the platform's objects in one namespace, and of its cluster-scoped ones, by object key. */
export type LiveIndex = ReadonlyMap<string, LiveObject>;

/** Which objects of a kind are read; those of environments unless something else is said, and all where it is `""`. */
interface ReadOptions {
  labelSelector?: string;
  fieldSelector?: string;
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
  const { labelSelector = environmentLabel, fieldSelector, signal } = options;
  const lists = await mapBounded(distinctKinds(kinds), requestsAtOnce, async (kind) => {
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

/** What is applied together: objects of one service or of several. */
export interface AppliedTogether extends Pick<ApplyRequest, "objects" | "previous" | "force"> {
  environmentId: string;
  namespace: string;
  services: readonly string[];
}

/**
 * Reads what applying services has to know: every object that they own, and who else owns an object that they name;
 * with `force` also objects without an owner. Objects that the last apply recorded are expected among their own. Of the
 * others, a few of a kind are read by name, many by reading the whole kind, both at the same time. A recorded object
 * that is missing is looked for once more in the same way: another client removed its labels, or deleted it.
 */
export async function readLiveOf(
  client: ClusterClient,
  { objects, previous, force, environmentId, namespace, services }: AppliedTogether,
  options: Pick<ReadOptions, "signal"> = {},
): Promise<LiveIndex> {
  const wanted = objects.map(({ ref }) => ref);
  const kinds = distinctKinds([...wanted, ...previous]);
  const recorded = new Set(previous.map(objectKey));
  const isNew = (ref: ObjectRef) => !recorded.has(objectKey(ref));
  const newOf = (kind: KindRef) => ofKind(kind, wanted.filter(isNew));
  const own = {
    ...options,
    labelSelector: `${environmentLabel}=${environmentId},${serviceLabel} in (${services.join()})`,
  };
  const others = { ...options, labelSelector: force ? "" : environmentLabel };
  const expecting = kinds.filter((kind) => newOf(kind).length <= maxAskedByName);
  const found = await Promise.all([
    readLive(client, expecting, namespace, own),
    ...kinds.map((kind) => readNamed(client, kind, newOf(kind), namespace, others)),
  ]);
  const known = new Map(found.flatMap((index) => [...index]));
  const missing = wanted.filter((ref) => !isNew(ref) && !known.has(objectKey(ref)));
  const rest = await Promise.all(
    expecting.map((kind) => readNamed(client, kind, ofKind(kind, missing), namespace, others)),
  );
  return new Map([...known, ...rest.flatMap((index) => [...index])]);
}

/** Objects of one kind: few by their names, of many all that there are. */
async function readNamed(
  client: ClusterClient,
  kind: KindRef,
  refs: readonly ObjectRef[],
  namespace: string,
  options: ReadOptions,
): Promise<LiveIndex> {
  if (refs.length > maxAskedByName) return readLive(client, [kind], namespace, options);
  const found = await Promise.all(
    refs.map(({ name }) => readLive(client, [kind], namespace, { ...options, fieldSelector: `metadata.name=${name}` })),
  );
  return new Map(found.flatMap((index) => [...index]));
}

function ofKind(kind: KindRef, refs: readonly ObjectRef[]): ObjectRef[] {
  return refs.filter((ref) => kindKey(ref) === kindKey(kind));
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

/** Whether the platform applied this object as a part of a service: no controller made it, and it is no hook. */
export function isApplied(object: LiveObject): boolean {
  const owned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
  return !owned && !isHook(object) && object.metadata.annotations?.[contentHashAnnotation] !== undefined;
}
