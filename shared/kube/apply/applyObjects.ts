import { mapBounded } from "../../base/common/mapBounded.ts";
import type { ClusterClient, ObjectRef } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { type AppliedTogether, isApplied, type LiveIndex, readLiveOf } from "../live/readLive.ts";
import { objectKey } from "../objectKey.ts";
import { requestsAtOnce } from "../requestsAtOnce.ts";
import type { AdoptableManagers } from "./adoptFields.ts";
import { applyOne } from "./applyOne.ts";
import { type ApplyResult, failureOf, type ObjectResult, versionMark } from "./applyResult.ts";
import { applyWaves } from "./applyWaves.ts";
import { checkOwnership, type ResolveOwner } from "./checkOwnership.ts";
import type { ClusterScopedOwners } from "./clusterScopedOwners.ts";
import { isKeptByPolicy } from "./keptByPolicy.ts";
import { environmentLabel, serviceLabel } from "./marks.ts";
import type { ApplyScope, PreparedObject } from "./prepareObjects.ts";
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
  takes?: AdoptableManagers;
  /** False leaves alone what the service applied earlier and does not name now. */
  prunes?: boolean;
  resolveOwner: ResolveOwner;
  /** Who has the cluster-scoped objects. */
  claims: ClusterScopedOwners;
  /** What `readLiveOf` found of it, where that was read for several services at once. */
  live?: LiveIndex | undefined;
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
  const { objects, scope, signal } = request;
  const listed = request.live ?? (await readLiveOf(client, together(request), signal && { signal }));
  const own = objects.filter(({ namespaced }) => namespaced !== false);
  const conflicts = await checkOwnership(own, listed, scope, request.resolveOwner);
  const shared = await request.claims.settle(
    client,
    objects.filter(({ namespaced }) => namespaced === false),
    listed,
    { take: request.dryRun !== true, ...(signal && { signal }) },
  );
  const owned = new Map(conflicts.map((conflict) => [conflict.ref, conflict.message]));
  for (const { one, conflict } of shared) if (conflict !== undefined) owned.set(one.ref, conflict);
  const replaced = new Set(shared.flatMap((one) => (one.conflict === undefined && one.replaced ? [one.one.key] : [])));
  const live = new Map([...listed].filter(([key]) => !replaced.has(key)));
  const settled = new Map(shared.map(({ one }) => [one.key, one]));
  const results: ObjectResult[] = [];
  const marks: Record<string, string> = {};

  for (const wave of applyWaves(objects.map((one) => settled.get(one.key) ?? one))) {
    const applied = await mapBounded(wave, requestsAtOnce, async (one): Promise<ObjectResult> => {
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

function together({ objects, previous, force, scope }: ApplyRequest): AppliedTogether {
  const { environmentId, namespace, serviceName } = scope;
  return { objects, previous, force, environmentId, namespace, services: [serviceName ?? ""] };
}

/**
 * Deletes what this service applied earlier and its manifest no longer holds; what others have too it only leaves, and
 * what says that it is kept stays.
 */
async function prune(client: ClusterClient, request: ApplyRequest, live: LiveIndex): Promise<ObjectResult[]> {
  const { objects, scope, previous, signal } = request;
  const wanted = new Set(objects.map(({ key }) => key));
  const gone = [...live].filter(
    ([key, object]) =>
      !wanted.has(key) &&
      isApplied(object) &&
      object.metadata.deletionTimestamp === undefined &&
      object.metadata.labels?.[environmentLabel] === scope.environmentId &&
      object.metadata.labels?.[serviceLabel] === scope.serviceName,
  );
  const listed = gone.map(([key, object]) => ({ key, ref: refOf(object), listed: object }));
  // One that carries the labels of another owner was not listed as ours.
  const unlisted = previous
    .filter(({ namespace }) => namespace === undefined)
    .map((ref) => ({ key: objectKey(ref), ref, listed: undefined }))
    .filter(({ key }) => !wanted.has(key) && gone.every(([other]) => other !== key));
  const call = signal === undefined ? {} : { signal };
  const dryRun = request.dryRun === true;
  const results = await mapBounded([...listed, ...unlisted], requestsAtOnce, async (one): Promise<ObjectResult[]> => {
    const { ref, key } = one;
    try {
      if (ref.namespace === undefined) {
        const left = await request.claims.leave(client, ref, { listed: one.listed, dryRun, ...call });
        if (left.outcome === "absent") return [];
        return [{ ref, key, action: left.outcome === "kept" ? "kept" : "pruned" }];
      }
      if (one.listed !== undefined && isKeptByPolicy(one.listed)) return [{ ref, key, action: "kept" }];
      if (!dryRun) await client.remove(ref, { uid: one.listed?.metadata.uid, ...call });
      return [{ ref, key, action: "pruned" }];
    } catch (error) {
      return [{ ref, key, action: "failed", failure: failureOf(error) }];
    }
  });
  return results.flat();
}
