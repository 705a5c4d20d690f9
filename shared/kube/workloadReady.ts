import type { LiveObject } from "./client/ClusterClient.ts";
import { conditionOf } from "./conditions.ts";
import { isPod, isWorkload, type LiveWorkload } from "./liveTypes.ts";
import { isBuiltIn } from "./workloadKinds.ts";

export interface Readiness {
  /** `failed` will not become ready by waiting. */
  state: "ready" | "progressing" | "failed";
  /** Why it is not ready, in words for a person; empty when it is. */
  reason: string;
}

const ready: Readiness = { state: "ready", reason: "" };
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
  const stalled = conditionOf(workload, "Progressing");
  if (stalled?.status === "False" && stalled.reason === "ProgressDeadlineExceeded")
    return { state: "failed", reason: stalled.message || "its progress deadline is exceeded" };
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
    return progressing("its controller has not seen the change yet");
  if (kind === "DaemonSet") {
    const wanted = status.desiredNumberScheduled ?? 0;
    const [updated, there] = [status.updatedNumberScheduled ?? 0, status.numberReady ?? 0];
    if (updated < wanted) return progressing(`${updated} of ${wanted} pods are updated`);
    return there < wanted ? progressing(`${there} of ${wanted} pods are ready`) : ready;
  }
  const wanted = spec.replicas ?? 1;
  const available = kind === "StatefulSet" ? (status.readyReplicas ?? 0) : (status.availableReplicas ?? 0);
  if (updatesAll(workload) && (status.updatedReplicas ?? 0) < wanted)
    return progressing(`${status.updatedReplicas ?? 0} of ${wanted} replicas are updated`);
  if (available < wanted) return progressing(`${available} of ${wanted} replicas are available`);
  if ((status.replicas ?? 0) > wanted)
    return progressing(`${(status.replicas ?? 0) - wanted} old replicas are still there`);
  return (status.unavailableReplicas ?? 0) > 0
    ? progressing(`${status.unavailableReplicas} replicas are unavailable`)
    : ready;
}

/** A partition or OnDelete leaves old pods on purpose; a ReplicaSet never updates its pods. */
function updatesAll({ kind, spec }: LiveWorkload): boolean {
  if (kind === "ReplicaSet") return false;
  if (kind === "Deployment") return true;
  const { type = "RollingUpdate", rollingUpdate } = spec?.updateStrategy ?? {};
  return type === "RollingUpdate" && (rollingUpdate?.partition ?? 0) === 0 && kind === "StatefulSet";
}
