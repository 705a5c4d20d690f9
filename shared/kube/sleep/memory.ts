import type { LiveObject } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { objectKey } from "../objectKey.ts";
import { type Activity, activityOf, rests } from "./activity.ts";

/** What a workload asked for before its environment fell asleep. */
export interface RememberedWorkload {
  apiVersion: string;
  kind: string;
  name: string;
  activity: Activity;
}

/**
 * What has to be remembered before the live workloads are put to rest. One that rests and is remembered was put to rest by
 * us; one that does not rest is remembered as it is now, whatever was known of it. So remembering again, after a part was
 * put to rest, forgets nothing.
 */
export function remember(live: readonly LiveObject[], before: readonly RememberedWorkload[]): RememberedWorkload[] {
  const known = new Map(before.map((workload) => [objectKey(workload), workload]));
  for (const object of live) {
    const { apiVersion, kind, name } = refOf(object);
    const key = objectKey({ apiVersion, kind, name });
    const activity = activityOf(object);
    if (!known.has(key) || !rests(activity)) known.set(key, { apiVersion, kind, name, activity });
  }
  return [...known.values()];
}

/**
 * What waking changes: every workload that rests now and did not before. Workloads that others woke, scaled or deleted
 * meanwhile stay as they are.
 */
export function toWake(
  live: readonly LiveObject[],
  memory: readonly RememberedWorkload[],
): { object: LiveObject; activity: Activity }[] {
  const known = new Map(memory.map((workload) => [objectKey(workload), workload.activity]));
  return live.flatMap((object) => {
    const activity = known.get(objectKey(refOf(object)));
    return activity === undefined || rests(activity) || !rests(activityOf(object)) ? [] : [{ object, activity }];
  });
}
