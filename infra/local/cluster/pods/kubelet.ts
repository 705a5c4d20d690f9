import { type Cluster, type Controller, controllerOf, keyOf } from "../controllers/controller.ts";
import type { KubeObject } from "../model/object.ts";
import { timestamp } from "../model/object.ts";
import type { Pod } from "../model/workloads.ts";
import { crashing, crashLooping, missingImages, playedResult, podAddress, pulling, running } from "./playedStatus.ts";

export const nodeName = "sandbox";
/** Marks pods of which only the status is played. */
export const playedAnnotation = "slipway.dev/sandbox";

/** Runs the commands of a pod that comes to an end for real; see runner.ts. */
export interface PodRunner {
  /** Starts the pod unless it is started already; reports through the pod's status. */
  start(pod: Pod): void;
  /** Ends the pod's processes; true when none is left. */
  stop(pod: KubeObject): boolean;
  close(): Promise<void>;
}

const crashMilliseconds = 200;

/** The node's part: binds pods, plays those of long-running workloads, hands those that come to an end to the runner. */
export function kubelet(cluster: Cluster, runner: PodRunner, delayMilliseconds: number): Controller {
  const since = new Map<string, number>();
  const waitFrom = (pod: Pod) => {
    const start = since.get(pod.metadata.uid) ?? Date.now();
    since.set(pod.metadata.uid, start);
    return start - Date.now();
  };
  return {
    name: "kubelet",
    watches: { pods: (pod) => [keyOf(pod)] },
    reconcile(namespace, name) {
      const pod = cluster.get<Pod>("pods", namespace, name);
      if (!pod) return undefined;
      if (pod.metadata.deletionTimestamp) {
        since.delete(pod.metadata.uid);
        if (runner.stop(pod)) finish(cluster, pod);
        return undefined;
      }
      if (pod.status.phase === "Succeeded" || pod.status.phase === "Failed") return undefined;
      if (!pod.spec.nodeName) return bind(cluster, pod, isReal(pod));
      if (isReal(pod)) {
        runner.start(pod);
        return undefined;
      }
      return play(cluster, pod, waitFrom(pod) + delayMilliseconds);
    },
    close: () => runner.close(),
  };
}

/** Pods that come to an end run, unless their images ask for a played failure. */
function isReal(pod: Pod): boolean {
  return ends(pod) && missingImages(pod).length === 0 && !crashing(pod);
}

/** Those of Jobs, and those that stand alone and are not started again. */
function ends(pod: Pod): boolean {
  const controller = controllerOf(pod);
  return controller === undefined ? pod.spec.restartPolicy === "Never" : controller.kind === "Job";
}

function bind(cluster: Cluster, pod: Pod, real: boolean): undefined {
  const annotations = real ? pod.metadata.annotations : { ...pod.metadata.annotations, [playedAnnotation]: "played" };
  const conditions = [
    { type: "PodScheduled", status: "True", lastProbeTime: undefined, lastTransitionTime: timestamp() },
  ];
  cluster.write("pods", {
    ...pod,
    metadata: { ...pod.metadata, ...(annotations ? { annotations } : {}) },
    spec: { ...pod.spec, nodeName },
    status: { ...pod.status, conditions: conditions.map(({ lastProbeTime: _, ...condition }) => condition) },
  });
}

function play(cluster: Cluster, pod: Pod, leftMilliseconds: number): number | undefined {
  const settled = pod.status.containerStatuses !== undefined;
  const missing = missingImages(pod);
  if (!settled && leftMilliseconds > 0) return leftMilliseconds;
  if (missing.length > 0) {
    if (settled) return undefined;
    cluster.writeStatus("pods", pod, pulling(pod));
    for (const image of missing)
      cluster.event(pod, "Warning", "Failed", `Failed to pull image "${image}": not found`, "kubelet");
    return undefined;
  }
  if (!settled) {
    cluster.writeStatus("pods", pod, running(pod, podAddress(cluster)));
    return crashing(pod) ? crashMilliseconds : undefined;
  }
  const failing = pod.status.containerStatuses?.some((status) => status.state.waiting);
  if (!crashing(pod) || failing) return undefined;
  if (ends(pod)) cluster.writeStatus("pods", pod, playedResult(pod, 1));
  else {
    cluster.writeStatus("pods", pod, crashLooping(pod));
    cluster.event(pod, "Warning", "BackOff", "Back-off restarting failed container", "kubelet");
  }
  return undefined;
}

function finish(cluster: Cluster, pod: Pod): void {
  const live = cluster.get<Pod>("pods", pod.metadata.namespace ?? "", pod.metadata.name);
  if (!live || live.metadata.finalizers?.length) return;
  cluster.removePod(live);
}
