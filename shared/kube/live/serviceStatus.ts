import { hookAnnotation } from "../apply/marks.ts";
import type { LiveObject } from "../client/ClusterClient.ts";
import { refOf } from "../client/objectRef.ts";
import { objectKey } from "../objectKey.ts";
import { conditionOf, conditionsOf } from "./conditions.ts";
import { isCronJob, isPod, isWorkload, type LivePod } from "./liveTypes.ts";
import { bringsPods, isBuiltIn, isCronJobKind, type ManifestWorkload } from "./workloadKinds.ts";
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
  manifest: readonly ManifestWorkload[];
  /** Live objects with this service's labels: workloads, custom objects and pods. */
  live: readonly LiveObject[];
  /** The last change of the service was refused, or its workloads did not become ready and still are not. */
  changeFailed: boolean;
  /** The service's definition is still in the store. */
  defined: boolean;
  /** `unread`: nothing was asked yet; `failed`: the cluster could not be read. */
  cluster: "read" | "unread" | "failed";
  environmentCreating: boolean;
}

/**
 * Derives the status from live objects, in the order of the contract's table with the first row of decisions 6.3. A change
 * that failed comes before everything: what still runs from before it is not what was asked for.
 */
export function serviceStatus(state: ServiceState): ServiceStatus {
  const { manifest, live } = state;
  if (state.changeFailed) return "failed";
  const custom = live.filter((object) => !isBuiltIn(object) && !isWorkload(object) && conditionsOf(object).length > 0);
  const spawnsJobs = custom.length > 0 || manifest.some(isCronJobKind);
  const ownJobs = new Set(live.flatMap(({ kind, metadata }) => (kind === "Job" ? [metadata.uid] : [])));
  const pods = livePods(live).filter((pod) => !isOfHook(pod, (job) => spawnsJobs || ownJobs.has(job)));
  const standing = new Set(live.map((object) => objectKey(refOf(object))));
  const absent = manifest.filter((ref) => !standing.has(objectKey(ref)));
  const lacksCustom = state.cluster === "read" && absent.some((ref) => !bringsPods(ref) && !isBuiltIn(ref));
  if (!canHavePods(state, custom)) return lacksCustom ? "unstable" : "succeeded";
  if (!state.defined) return "failed";
  if (state.cluster === "unread") return "unknown";
  if (state.cluster === "failed") return state.environmentCreating ? "pending" : "error";
  if (live.some(isFailedJob)) return "failed";
  const podKinds = manifest.filter(bringsPods);
  if (podKinds.length > 0 && podKinds.every(isCronJobKind) && custom.length === 0) return cronStatus(live);
  const customUnready = custom.some((object) => customReady(object).state !== "ready");
  if (pods.length === 0) {
    if (podKinds.length > 0 && podKinds.every((ref) => ref.expires === true && absent.includes(ref)))
      return "succeeded";
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

/**
 * A hook of a chart is no part of what runs: a test that failed leaves its pod behind. The pod of a hook that is a Job does
 * not say so, but belongs to a Job that is none of the service's.
 */
function isOfHook({ metadata }: LivePod, isOwnJob: (uid: string) => boolean): boolean {
  if (metadata.annotations?.[hookAnnotation] !== undefined) return true;
  return metadata.ownerReferences?.some(({ kind, uid }) => kind === "Job" && !isOwnJob(uid)) === true;
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

/** A job of the manifest that gave up; those that a cron job makes come again. */
function isFailedJob(object: LiveObject): boolean {
  if (object.kind !== "Job" || (object.metadata.ownerReferences ?? []).length > 0) return false;
  return conditionOf(object, "Failed")?.status === "True";
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
