import type { ClusterClient, ObjectRef } from "../clients/kubernetes/ClusterClient.ts";
import { applyOne } from "./applyOne.ts";
import { type ApplyResult, failureOf, type ObjectResult, versionMark } from "./applyResult.ts";
import { applyWaves } from "./applyWaves.ts";
import { checkOwnership, type ResolveOwner } from "./checkOwnership.ts";
import { mapBounded } from "./mapBounded.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";
import type { ApplyScope, PreparedObject } from "./prepareObjects.ts";
import { isApplied, type LiveIndex, readLiveOf } from "./readLive.ts";
import type { TakesFrom } from "./takeFields.ts";
import { waitEstablished } from "./waitEstablished.ts";

export interface ApplyRequest {
  objects: readonly PreparedObject[];
  scope: ApplyScope;
  /** Objects of the manifest applied before; their kinds are looked through for what has to be pruned. */
  previous: readonly ObjectRef[];
  /** Marks that the last apply returned. */
  recorded: Readonly<Record<string, string>>;
  /** Take over fields that other managers hold (decisions 5.6). */
  force: boolean;
  /** Whose fields become ours as they stand when the apply is forced; default those of `kubectl apply`. */
  takes?: TakesFrom;
  /** False leaves alone what the service applied earlier and does not name now. */
  prunes?: boolean;
  resolveOwner: ResolveOwner;
  /** What stands in the cluster, when it was read for several services at once; read here otherwise. */
  live?: LiveIndex;
  /** Requests in flight; default 32. */
  concurrency?: number;
  /** Ask the server what would happen and change nothing. */
  dryRun?: boolean;
  signal?: AbortSignal;
}

/**
 * Brings the objects of one service into the cluster (decisions 5.6): a LIST or two a kind, then only what differs, in waves,
 * several requests in flight; a failing object does not stop the others. What the manifest no longer holds is pruned at
 * the end, unless something failed: what replaces it may be missing. Repeating it, also after a crash in the middle,
 * leads to the same cluster.
 * @throws ClusterError when the cluster cannot be read at all
 */
export async function applyObjects(client: ClusterClient, request: ApplyRequest): Promise<ApplyResult> {
  const { objects, scope, concurrency = 32, signal } = request;
  const live = request.live ?? (await readLiveOf(client, request, { concurrency, ...(signal && { signal }) }));
  const conflicts = await checkOwnership(objects, live, scope, request.resolveOwner);
  const owned = new Map(conflicts.map((conflict) => [conflict.ref, conflict.message]));
  const results: ObjectResult[] = [];
  const marks: Record<string, string> = {};

  for (const wave of applyWaves(objects)) {
    const applied = await mapBounded(wave, concurrency, async (one): Promise<ObjectResult> => {
      const { ref, key } = one;
      const message = owned.get(ref);
      if (message !== undefined)
        return {
          ref,
          key,
          action: "failed",
          failure: { code: "OwnershipConflict", message, retryable: false, conflicts: [] },
        };
      try {
        const { action, object } = await applyOne(client, one, live.get(key), request);
        marks[key] = versionMark(object);
        const { uid, generation } = object.metadata;
        return { ref, key, action, uid, generation };
      } catch (error) {
        return { ref, key, action: "failed", failure: failureOf(error) };
      }
    });
    results.push(...applied);
    if (request.dryRun !== true) await waitEstablished(client, applied, signal);
  }

  const succeeded = results.every(({ action }) => action !== "failed");
  if (succeeded && request.prunes !== false) results.push(...(await prune(client, request, live)));
  return { results, marks, succeeded: results.every(({ action }) => action !== "failed") };
}

/** Deletes what this service applied earlier and its manifest no longer holds. */
async function prune(client: ClusterClient, request: ApplyRequest, live: LiveIndex): Promise<ObjectResult[]> {
  const { objects, scope, concurrency = 32, signal } = request;
  const wanted = new Set(objects.map(({ key }) => key));
  const gone = [...live].filter(
    ([key, object]) =>
      !wanted.has(key) &&
      isApplied(object) &&
      object.metadata.deletionTimestamp === undefined &&
      object.metadata.labels?.[environmentLabel] === scope.environmentId &&
      object.metadata.labels?.[serviceLabel] === scope.serviceName,
  );
  return mapBounded(gone, concurrency, async ([key, { apiVersion, kind, metadata }]): Promise<ObjectResult> => {
    const ref = { apiVersion, kind, name: metadata.name, namespace: metadata.namespace };
    try {
      if (request.dryRun !== true) await client.remove(ref, { uid: metadata.uid, ...(signal && { signal }) });
      return { ref, key, action: "pruned" };
    } catch (error) {
      return { ref, key, action: "failed", failure: failureOf(error) };
    }
  });
}
