import type { LiveObject } from "../client/ClusterClient.ts";
import { type Condition, conditionOf } from "./conditions.ts";
import { isPod, isWorkload, type LiveWorkload } from "./liveTypes.ts";
import { isBuiltIn } from "./workloadKinds.ts";

export interface Readiness {
  /** `failed` will not become ready by waiting. */
  state: "ready" | "progressing" | "failed";
  /** Why it is not ready, in words for a person; empty when it is. */
  reason: string;
}

export const ready: Readiness = { state: "ready", reason: "" };
const progressing = (reason: string): Readiness => ({ state: "progressing", reason });

/**
 * Whether an object does what its spec asks for (contract P 15, table "Workload readiness"; custom objects as
 * decisions 6.3). Objects that nothing can be said of are ready.
 */
export function workloadReady(object: LiveObject): Readiness {
  if (object.metadata.deletionTimestamp !== undefined) return progressing("is being deleted");
  if (isPod(object)) return podReady(object);
  if (isWorkload(object)) return object.kind === "Job" ? jobReady(object) : replicasReady(object);
  return isBuiltIn(object) ? ready : customReady(object);
}

/** Ready or Available; an object without either counts as ready. */
export function customReady(object: LiveObject): Readiness {
  const condition = conditionOf(object, "Ready") ?? conditionOf(object, "Available");
  if (condition === undefined || condition.status === "True") return ready;
  return progressing(condition.message || condition.reason || `${condition.type} is ${condition.status}`);
}

function podReady(pod: LiveObject): Readiness {
  const phase = isPod(pod) ? pod.status?.phase : undefined;
  if (phase === "Succeeded") return ready;
  if (phase === "Failed") return { state: "failed", reason: "the pod failed" };
  const condition = conditionOf(pod, "Ready");
  if (condition?.status === "True") return ready;
  return progressing(condition?.message || condition?.reason || "the pod is not ready");
}

function jobReady(job: LiveWorkload): Readiness {
  if (conditionOf(job, "Complete")?.status === "True") return ready;
  const failed = conditionOf(job, "Failed");
  if (failed?.status === "True")
    return { state: "failed", reason: failed.message || failed.reason || "the job failed" };
  return progressing(job.spec?.suspend === true ? "the job is suspended" : "the job has not finished");
}

function replicasReady(workload: LiveWorkload): Readiness {
  const { spec = {}, status = {}, metadata, kind } = workload;
  // Until then the status, its conditions included, tells of the spec before.
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return progressing("its controller has not seen the change yet");
  const stall = stallOf(workload);
  if (stall !== undefined) return { state: "failed", reason: stall.message || "its progress deadline is exceeded" };
  if (kind === "DaemonSet") {
    const wanted = status.desiredNumberScheduled ?? 0;
    const [updated, there] = [status.updatedNumberScheduled ?? 0, status.numberReady ?? 0];
    if (updated < wanted) return progressing(`${updated} of ${wanted} pods are updated`);
    return there < wanted ? progressing(`${there} of ${wanted} pods are ready`) : ready;
  }
  const wanted = spec.replicas ?? 1;
  const available = kind === "StatefulSet" ? (status.readyReplicas ?? 0) : (status.availableReplicas ?? 0);
  const updated = status.updatedReplicas ?? 0;
  if (updatesAll(workload) && updated < wanted)
    return kind === "Deployment" && spec.paused === true
      ? { state: "failed", reason: pausedReason(metadata.name, updated, wanted) }
      : progressing(`${updated} of ${wanted} replicas are updated`);
  if (available < wanted) return progressing(`${available} of ${wanted} replicas are available`);
  if ((status.replicas ?? 0) > wanted)
    return progressing(`${(status.replicas ?? 0) - wanted} old replicas are still there`);
  return (status.unavailableReplicas ?? 0) > 0
    ? progressing(`${status.unavailableReplicas} replicas are unavailable`)
    : ready;
}

function pausedReason(name: string, updated: number, wanted: number): string {
  return `is paused (spec.paused is true), so only ${updated} of ${wanted} replicas are updated; resume it with kubectl rollout resume deployment/${name}, or take paused out of its manifest`;
}

/**
 * The exceeded progress deadline of the rollout that its spec asks for. After a rollout that stalled, a Deployment that
 * goes back to a ReplicaSet it still has keeps the old condition until it is complete, beside the new observedGeneration;
 * a deadline is at least one second, so a condition that is not younger than the last change of the spec is the old one.
 */
function stallOf(workload: LiveWorkload): Condition | undefined {
  const condition = conditionOf(workload, "Progressing");
  if (condition?.status !== "False" || condition.reason !== "ProgressDeadlineExceeded") return undefined;
  const changes = (workload.metadata.managedFields ?? []).filter(
    ({ subresource = "", fieldsV1 }) => subresource === "" && fieldsV1?.["f:spec"] !== undefined,
  );
  const since = Date.parse(condition.lastTransitionTime);
  return changes.some(({ time = "" }) => Date.parse(time) >= since) ? undefined : condition;
}

/** A partition or OnDelete leaves old pods on purpose; a ReplicaSet never updates its pods. */
function updatesAll({ kind, spec }: LiveWorkload): boolean {
  if (kind === "ReplicaSet") return false;
  if (kind === "Deployment") return true;
  const { type = "RollingUpdate", rollingUpdate } = spec?.updateStrategy ?? {};
  return type === "RollingUpdate" && (rollingUpdate?.partition ?? 0) === 0 && kind === "StatefulSet";
}
