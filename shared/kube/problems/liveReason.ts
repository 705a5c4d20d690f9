import type { LiveObject, ObjectRef } from "../client/ClusterClient.ts";
import { describe } from "../client/objectRef.ts";
import { isPod, isWorkload } from "../live/liveTypes.ts";
import { podsOf } from "../live/podsOf.ts";
import { isBuiltIn, type ManifestWorkload } from "../live/workloadKinds.ts";
import { workloadReady } from "../live/workloadReady.ts";
import { podProblems } from "./podProblems.ts";

/**
 * Why an object of a manifest is not as it should be, as far as the live objects alone show; undefined while it is
 * ready or on its way.
 * @param object the live object; undefined when it does not exist
 * @param live all live objects of the service, including its pods
 */
export function liveReason(
  ref: ManifestWorkload,
  object: LiveObject | undefined,
  live: readonly LiveObject[],
): string | undefined {
  if (object === undefined) return ref.expires === true ? undefined : absentSentence(ref);
  const { state, reason } = workloadReady(object);
  if (state === "ready") return undefined;
  const subject = describe({ kind: ref.kind, name: ref.name });
  if (state === "failed") return `${subject}: ${reason}`;
  if (object.metadata.deletionTimestamp !== undefined) return `${subject} is being deleted${heldBy(object)}`;
  const pods = isPod(object) ? [object] : isWorkload(object) ? podsOf(object, live) : [];
  const [problem] = pods.flatMap((pod) => podProblems(pod, [], new Map()));
  if (problem !== undefined) return `${subject}: ${problem.message}`;
  return isBuiltIn(ref) ? undefined : `${subject}: ${reason}`;
}

/** What to do about an object that was applied and is gone. */
export function absentSentence({ kind, name }: Pick<ObjectRef, "kind" | "name">): string {
  return `${describe({ kind, name })} does not exist in the cluster: it was deleted there; update the service to recreate it`;
}

/** What keeps an object that is being deleted, to be appended; empty when it only ends. */
export function heldBy({ metadata }: LiveObject): string {
  const { finalizers } = metadata;
  if (!Array.isArray(finalizers) || finalizers.length === 0) return "";
  return `, but its finalizers hold it (${finalizers.join(", ")}): what set them must remove them`;
}
