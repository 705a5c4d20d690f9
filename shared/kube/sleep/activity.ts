import { at } from "../../manifest/workloads.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { isCronJobKind } from "../live/workloadKinds.ts";

/** What a workload asks for: how many pods, or, of a CronJob, whether it is suspended. */
export type Activity = { replicas: number } | { suspend: boolean };

/** As the cluster has it; a workload that names no count has one pod. */
export function activityOf(object: LiveObject): Activity {
  if (isCronJobKind(object)) return { suspend: at(object, ["spec", "suspend"]) === true };
  const replicas = at(object, ["spec", "replicas"]);
  return { replicas: typeof replicas === "number" ? replicas : 1 };
}

/** What a workload of this kind asks for while its environment sleeps. */
export function restOf(kind: { apiVersion: string; kind: string }): Activity {
  return isCronJobKind(kind) ? { suspend: true } : { replicas: 0 };
}

export function rests(activity: Activity): boolean {
  return "suspend" in activity ? activity.suspend : activity.replicas === 0;
}
