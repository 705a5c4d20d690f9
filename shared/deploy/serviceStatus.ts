import type { LiveObject, ObjectRef } from "../clients/kubernetes/ClusterClient.ts";
import { conditionOf, conditionsOf } from "./conditions.ts";
import { isCronJob, isPod, isWorkload, type LivePod } from "./liveTypes.ts";
import { bringsPods, isBuiltIn, isCronJobKind } from "./workloadKinds.ts";
import { customReady } from "./workloadReady.ts";

/** Status of a service in an environment (contract P 15). */
export type ServiceStatus =
  | "succeeded"
  | "failed"
  | "unknown"
  | "pending"
  | "error"
  | "allsuspend"
  | "partsuspend"
  | "nosuspend"
  | "unstart"
  | "unstable"
  | "running";

export interface ServiceState {
  /** Objects of the manifest that was applied last. */
  manifest: readonly ObjectRef[];
  /** Live objects with this service's labels: workloads, custom objects and pods. */
  live: readonly LiveObject[];
  applyFailed: boolean;
  /** The service's definition is still in the store. */
  defined: boolean;
  /** `unread`: nothing was asked yet; `failed`: the cluster could not be read. */
  cluster: "read" | "unread" | "failed";
  environmentCreating: boolean;
}

/** Derives the status from live objects, in the order of the contract's table with the first row of decisions 6.3. */
export function serviceStatus(state: ServiceState): ServiceStatus {
  const { manifest, live } = state;
  const pods = livePods(live);
  const custom = live.filter((object) => !isBuiltIn(object) && !isWorkload(object) && conditionsOf(object).length > 0);
  if (!canHavePods(state, custom)) return "succeeded";
  const workloads = live.filter((object) => isWorkload(object) || isCronJob(object) || isBarePod(object));
  if (state.applyFailed && workloads.length === 0) return "failed";
  if (!state.defined) return "failed";
  if (state.cluster === "unread") return "unknown";
  if (state.cluster === "failed") return state.environmentCreating ? "pending" : "error";
  const podKinds = manifest.filter(bringsPods);
  if (podKinds.length > 0 && podKinds.every(isCronJobKind) && custom.length === 0) return cronStatus(live);
  const customUnready = custom.some((object) => customReady(object).state !== "ready");
  if (pods.length === 0) {
    if (custom.length > 0) return customUnready ? "unstable" : "running";
    return live.some(isCronJob) ? "running" : "unstart";
  }
  if (pods.every(isSucceeded) && custom.length === 0) return "succeeded";
  return customUnready || pods.some((pod) => !isSucceeded(pod) && !isReady(pod)) ? "unstable" : "running";
}

/** The word of `EnvService.status`: the contract's list, with `error` and the words of cron jobs mapped to it (P 15). */
export function publicServiceStatus(
  status: ServiceStatus,
): "succeeded" | "failed" | "unknown" | "pending" | "unstart" | "unstable" | "running" {
  if (status === "error") return "unknown";
  return status === "allsuspend" || status === "partsuspend" || status === "nosuspend" ? "running" : status;
}

function canHavePods({ manifest, cluster }: ServiceState, custom: readonly LiveObject[]): boolean {
  if (manifest.some(bringsPods) || custom.length > 0) return true;
  // What a custom object does is only known once the cluster was read.
  return cluster !== "read" && manifest.some((ref) => !isBuiltIn(ref));
}

/** Pods that count: not those on their way out, nor failed tries of a job that completed later. */
function livePods(live: readonly LiveObject[]): LivePod[] {
  const completed = new Set(
    live
      .filter((object) => object.kind === "Job" && conditionOf(object, "Complete")?.status === "True")
      .map(({ metadata }) => metadata.uid),
  );
  const retried = (pod: LivePod) =>
    pod.status?.phase === "Failed" && pod.metadata.ownerReferences?.some(({ uid }) => completed.has(uid)) === true;
  return live.filter(isPod).filter((pod) => pod.metadata.deletionTimestamp === undefined && !retried(pod));
}

function isBarePod(object: LiveObject): boolean {
  return isPod(object) && (object.metadata.ownerReferences ?? []).length === 0;
}

function isSucceeded(pod: LivePod): boolean {
  return pod.status?.phase === "Succeeded";
}

function isReady(pod: LivePod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}

function cronStatus(live: readonly LiveObject[]): ServiceStatus {
  const jobs = live.filter(isCronJob);
  if (jobs.length === 0) return "unstart";
  const suspended = jobs.filter(({ spec }) => spec?.suspend === true).length;
  if (suspended === 0) return "nosuspend";
  return suspended === jobs.length ? "allsuspend" : "partsuspend";
}
