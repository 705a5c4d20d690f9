import { mapBounded } from "../../base/common/mapBounded.ts";
import type { CallOptions, ClusterClient, KindRef, LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterKindUnknown } from "../client/errors.ts";
import { refOf } from "../client/objectRef.ts";
import { hookSentence, isHook } from "../isHook.ts";
import { distinctKinds, isApplied, readLive } from "../live/readLive.ts";
import { kindKey, objectKey } from "../objectKey.ts";
import { requestsAtOnce } from "../requestsAtOnce.ts";
import { failureOf, type ObjectFailure } from "./applyResult.ts";
import { waveNumber } from "./applyWaves.ts";
import type { ClusterScopedOwners, Left } from "./clusterScopedOwners.ts";
import { isKeptByPolicy, policySentence } from "./keptByPolicy.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";
import { waitForObjects } from "./waitForObjects.ts";

export interface RemovalRequest {
  environmentId: string;
  namespace: string;
  /** Kinds of all manifests of the environment; cluster-scoped objects with their names. */
  kinds: readonly (KindRef & { name?: string })[];
  /** Who has the cluster-scoped objects. */
  claims: ClusterScopedOwners;
  /** Keys of objects in the namespace whose manifest says that they stay, whatever the live objects say. */
  keeps?: ReadonlySet<string>;
  /** Only the objects of these services; absent: everything the environment owns. */
  serviceNames?: readonly string[] | undefined;
  /** How long to wait until they are gone, in seconds; 0 does not wait. */
  waitSeconds: number;
  signal?: AbortSignal;
}

export interface RemovalResult {
  removed: ObjectRef[];
  failed: { ref: ObjectRef; failure: ObjectFailure }[];
  /** Deleted, but held by finalizers or grace periods when the wait ended. */
  remaining: ObjectRef[];
  /** Why objects were left: they say so themselves, or would take objects of others along. */
  kept: string[];
}

/**
 * Deletes what services of an environment applied, found by its live labels (contract P 5.5, 17.1): nothing of others,
 * nothing that controllers made, cluster-scoped objects included. What others depend on goes last. One failure does not
 * stop the rest; repeating it goes on where it ended.
 * @throws ClusterError when the cluster cannot be read at all
 */
export async function removeObjects(client: ClusterClient, request: RemovalRequest): Promise<RemovalResult> {
  const { environmentId, namespace, kinds, serviceNames, signal } = request;
  const services = serviceNames === undefined ? "" : `,${serviceLabel} in (${serviceNames.join(",")})`;
  const result: RemovalResult = { removed: [], failed: [], remaining: [], kept: [] };
  if (serviceNames?.length === 0) return result;
  const labelSelector = `${environmentLabel}=${environmentId}${services}`;
  const call = signal === undefined ? {} : { signal };
  const live = await readLive(client, kinds, namespace, { labelSelector, ...call });
  const ours = [...live.values()].filter(isApplied);
  result.kept.push(...[...live.values()].filter(isHook).map((hook) => hookSentence(refOf(hook))));
  const unlisted = (await clusterScopedOf(client, kinds)).filter((ref) => !live.has(objectKey(ref)));
  const ended = performance.now() + request.waitSeconds * 1000;
  for (const wave of removalWaves([
    ...ours.map((listed) => ({ ref: refOf(listed), listed })),
    ...unlisted.map((ref) => ({ ref })),
  ])) {
    const held: LiveObject[] = [];
    await mapBounded(wave, requestsAtOnce, async ({ ref, listed }) => {
      try {
        const left = await leave(client, { ref, listed }, request, call);
        if (left.outcome === "kept") result.kept.push(left.why);
        else if (left.outcome === "removing" && listed !== undefined) held.push(listed);
        else if (left.outcome !== "shared" && listed !== undefined) result.removed.push(ref);
      } catch (error) {
        result.failed.push({ ref, failure: failureOf(error) });
      }
    });
    for (const { ref, gone } of await waitGone(
      client,
      held,
      labelSelector,
      (ended - performance.now()) / 1000,
      signal,
    )) {
      (gone ? result.removed : result.remaining).push(ref);
      // What is recorded of it goes with it.
      if (gone && ref.namespace === undefined) await request.claims.leave(client, ref, { forGood: true, ...call });
    }
  }
  return result;
}

/** Takes one object away, unless it says that it stays. */
async function leave(
  client: ClusterClient,
  { ref, listed }: Going,
  { claims, keeps }: Pick<RemovalRequest, "claims" | "keeps">,
  call: CallOptions,
): Promise<Left> {
  if (ref.namespace === undefined) return claims.leave(client, ref, { listed, forGood: true, ...call });
  const isKept = keeps?.has(objectKey(ref)) === true || (listed !== undefined && isKeptByPolicy(listed));
  if (isKept) return { outcome: "kept", why: policySentence(ref) };
  return { outcome: await client.remove(ref, { uid: listed?.metadata.uid, ...call }) };
}

interface Going {
  ref: ObjectRef;
  /** Absent for one that carries the labels of another owner. */
  listed?: LiveObject | undefined;
}

/** Definitions, roles and configuration go after what uses them. */
function removalWaves(going: readonly Going[]): Going[][] {
  const waves = new Map<number, Going[]>();
  for (const one of going) {
    const number = waveNumber(one.ref);
    waves.set(number, [...(waves.get(number) ?? []), one]);
  }
  return [...waves].sort(([a], [b]) => b - a).map(([, wave]) => wave);
}

async function waitGone(
  client: ClusterClient,
  held: readonly LiveObject[],
  labelSelector: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<{ ref: ObjectRef; gone: boolean }[]> {
  const groups = new Map<string, LiveObject[]>();
  for (const object of held) {
    const key = `${object.apiVersion} ${object.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), object]);
  }
  const waits = [...groups.values()].map(async (group) => {
    const [first] = group;
    if (first === undefined) return [];
    let left = new Set(group.map(({ metadata }) => metadata.uid ?? ""));
    if (seconds > 0) {
      const query = { labelSelector, namespace: first.metadata.namespace, metadataOnly: true };
      const noneLeft = (objects: ReadonlyMap<string, LiveObject>) => {
        left = new Set([...left].filter((uid) => objects.has(uid)));
        return left.size === 0;
      };
      await waitForObjects(client, first, query, noneLeft, { deadlineSeconds: seconds, signal });
    }
    return group.map((object) => ({ ref: refOf(object), gone: !left.has(object.metadata.uid ?? "") }));
  });
  return (await Promise.all(waits)).flat();
}

/** Of what is named, the objects that belong to no namespace; each once. Kinds that the cluster does not serve have none. */
async function clusterScopedOf(
  client: ClusterClient,
  named: readonly (KindRef & { name?: string })[],
  call: CallOptions = {},
): Promise<ObjectRef[]> {
  const refs = named.flatMap(({ name, apiVersion, kind }) => (name === undefined ? [] : [{ apiVersion, kind, name }]));
  const scopes = new Map<string, boolean>();
  for (const kind of distinctKinds(refs)) scopes.set(kindKey(kind), await isClusterScoped(client, kind, call));
  const found = refs.filter((ref) => scopes.get(kindKey(ref)) === true);
  return [...new Map(found.map((ref) => [objectKey(ref), ref])).values()];
}

async function isClusterScoped(client: ClusterClient, kind: KindRef, call: CallOptions): Promise<boolean> {
  try {
    return !(await client.resource(kind, call)).namespaced;
  } catch (error) {
    if (error instanceof ClusterKindUnknown) return false;
    throw error;
  }
}
