import type { ClusterClient, KindRef, LiveObject, ObjectRef } from "../clients/kubernetes/ClusterClient.ts";
import { refOf } from "../clients/kubernetes/objectRef.ts";
import { failureOf, type ObjectFailure } from "./applyResult.ts";
import { waveNumber } from "./applyWaves.ts";
import { mapBounded } from "./mapBounded.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";
import { isApplied, readLive } from "./readLive.ts";
import { waitForObjects } from "./waitForObjects.ts";

export interface RemovalRequest {
  environmentId: string;
  namespace: string;
  /** Kinds of all manifests of the environment, cluster-scoped ones included. */
  kinds: readonly KindRef[];
  /** Only the objects of these services; absent: everything the environment owns. */
  serviceNames?: readonly string[] | undefined;
  /** How long to wait until they are gone, in seconds; 0 does not wait. */
  waitSeconds: number;
  concurrency?: number;
  signal?: AbortSignal;
}

export interface RemovalResult {
  removed: ObjectRef[];
  failed: { ref: ObjectRef; failure: ObjectFailure }[];
  /** Deleted, but held by finalizers or grace periods when the wait ended. */
  remaining: ObjectRef[];
}

/**
 * Deletes what services of an environment applied, found by its live labels (contract P 5.5, 17.1): nothing of others,
 * nothing that controllers made, cluster-scoped objects included. What others depend on goes last. One failure does not
 * stop the rest; repeating it goes on where it ended.
 * @throws ClusterError when the cluster cannot be read at all
 */
export async function removeObjects(client: ClusterClient, request: RemovalRequest): Promise<RemovalResult> {
  const { environmentId, namespace, kinds, serviceNames, concurrency = 32, signal } = request;
  const services = serviceNames === undefined ? "" : `,${serviceLabel} in (${serviceNames.join(",")})`;
  const result: RemovalResult = { removed: [], failed: [], remaining: [] };
  if (serviceNames?.length === 0) return result;
  const labelSelector = `${environmentLabel}=${environmentId}${services}`;
  const call = signal === undefined ? {} : { signal };
  const live = await readLive(client, kinds, namespace, { labelSelector, concurrency, ...call });
  const ours = [...live.values()].filter(isApplied);
  const ended = performance.now() + request.waitSeconds * 1000;
  for (const wave of removalWaves(ours)) {
    const held: LiveObject[] = [];
    await mapBounded(wave, concurrency, async (object) => {
      const ref = refOf(object);
      try {
        const outcome = await client.remove(ref, { uid: object.metadata.uid, ...call });
        if (outcome === "removing") held.push(object);
        else result.removed.push(ref);
      } catch (error) {
        result.failed.push({ ref, failure: failureOf(error) });
      }
    });
    for (const one of await waitGone(client, held, labelSelector, (ended - performance.now()) / 1000, signal))
      (one.gone ? result.removed : result.remaining).push(one.ref);
  }
  return result;
}

/** Definitions, roles and configuration go after what uses them. */
function removalWaves(objects: readonly LiveObject[]): LiveObject[][] {
  const waves = new Map<number, LiveObject[]>();
  for (const object of objects) {
    const number = waveNumber(object);
    waves.set(number, [...(waves.get(number) ?? []), object]);
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
