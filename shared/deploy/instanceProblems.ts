import type { LiveObject } from "../clients/kubernetes/ClusterClient.ts";
import { conditionOf } from "./conditions.ts";
import { unixSeconds } from "./detailTimes.ts";
import { isCronJob, isPod, type LivePod } from "./liveTypes.ts";
import { workloadReady } from "./workloadReady.ts";

/** What keeps a service from running, spelled as on the wire (decisions 6.7). `since` in Unix seconds, 0 when unknown. */
export interface InstanceProblem {
  kind: string;
  name: string;
  reason: string;
  message: string;
  since: number;
}

/** The problems of live objects: containers that do not run, pods that find no node, workloads that do not progress. */
export function instanceProblems(objects: readonly LiveObject[]): InstanceProblem[] {
  return objects.flatMap((object) => {
    if (object.metadata.deletionTimestamp !== undefined || isCronJob(object)) return [];
    return isPod(object) ? podProblems(object) : workloadProblems(object);
  });
}

function podProblems(pod: LivePod): InstanceProblem[] {
  const { status = {}, metadata } = pod;
  if (status.phase === "Succeeded") return [];
  const problem = (reason: string, message: string, since: string | undefined): InstanceProblem => ({
    kind: "Pod",
    name: metadata.name,
    reason,
    message,
    since: unixSeconds(since),
  });
  const scheduled = conditionOf(pod, "PodScheduled");
  if (scheduled?.status === "False")
    return [problem(scheduled.reason, scheduled.message, scheduled.lastTransitionTime)];
  const since = conditionOf(pod, "ContainersReady")?.lastTransitionTime || metadata.creationTimestamp;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const found = containers.flatMap(({ name, state = {} }) => {
    const { waiting, terminated } = state;
    if (waiting !== undefined && !["ContainerCreating", "PodInitializing"].includes(waiting.reason ?? ""))
      return [problem(waiting.reason ?? "Waiting", `container ${name}: ${waiting.message ?? "is waiting"}`, since)];
    if (terminated !== undefined && terminated.exitCode !== 0) {
      const message = terminated.message ?? `ended with exit code ${terminated.exitCode}`;
      return [problem(terminated.reason ?? "Error", `container ${name}: ${message}`, terminated.finishedAt)];
    }
    return [];
  });
  if (found.length > 0 || status.phase !== "Failed") return found;
  return [problem(status.reason ?? "Failed", status.message ?? "the pod failed", since)];
}

function workloadProblems(object: LiveObject): InstanceProblem[] {
  const { state, reason } = workloadReady(object);
  if (state === "ready") return [];
  const stalled = conditionOf(object, "Progressing") ?? conditionOf(object, "Failed") ?? conditionOf(object, "Ready");
  return [
    {
      kind: object.kind,
      name: object.metadata.name,
      reason: state === "failed" ? stalled?.reason || "Failed" : "NotReady",
      message: reason,
      since: unixSeconds(stalled?.lastTransitionTime),
    },
  ];
}
