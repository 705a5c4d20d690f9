import type { Cluster } from "../controllers/controller.ts";
import { timestamp } from "../model/object.ts";
import type { Condition, Container, ContainerState, ContainerStatus, Pod, PodStatus } from "../model/workloads.ts";

/** Statuses of pods that do not run. An image that ends in `:missing` cannot be pulled, one in `:crash` crashes. */
export function missingImages(pod: Pod): string[] {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return containers.flatMap((container) => (container.image?.endsWith(":missing") ? [container.image] : []));
}

export function crashing(pod: Pod): boolean {
  return pod.spec.containers.some((container) => container.image?.endsWith(":crash"));
}

/** Gives each pod an address of 10.244.0.0/16 that no other has. */
export function podAddress(cluster: Cluster): string {
  const used = new Set(cluster.list<Pod>("pods").map((pod) => pod.status.podIP));
  let number = (cluster.api.store.revision % 65_000) + 2;
  for (;;) {
    const address = `10.244.${(number >> 8) & 255}.${number & 255}`;
    if (!used.has(address)) return address;
    number = (number + 1) % 65_536;
  }
}

export function running(pod: Pod, podIP: string): PodStatus {
  const now = timestamp();
  const state = { running: { startedAt: now } };
  return {
    ...pod.status,
    phase: "Running",
    conditions: podConditions(pod, true),
    hostIP: "127.0.0.1",
    hostIPs: [{ ip: "127.0.0.1" }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: now,
    ...initStatuses(pod),
    containerStatuses: pod.spec.containers.map((container) => containerStatus(container, state, true)),
  };
}

function initStatuses(pod: Pod): Pick<PodStatus, "initContainerStatuses"> {
  if (!pod.spec.initContainers?.length) return {};
  const now = timestamp();
  return {
    initContainerStatuses: pod.spec.initContainers.map((container) =>
      container.restartPolicy === "Always"
        ? containerStatus(container, { running: { startedAt: now } }, true)
        : containerStatus(
            container,
            { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } },
            true,
          ),
    ),
  };
}

export function waiting(pod: Pod, reason: "ImagePullBackOff" | "CrashLoopBackOff"): PodStatus {
  const now = timestamp();
  const crashed = reason === "CrashLoopBackOff";
  return {
    ...pod.status,
    phase: "Pending",
    conditions: podConditions(pod, false),
    startTime: pod.status.startTime ?? now,
    containerStatuses: pod.spec.containers.map((container) => {
      const message = crashed
        ? "back-off restarting failed container"
        : `Back-off pulling image ${container.image ?? ""}`;
      const status = containerStatus(container, { waiting: { reason, message } }, false);
      if (!crashed) return status;
      const ended = { exitCode: 1, reason: "Error", startedAt: now, finishedAt: now };
      return { ...status, restartCount: 5, lastState: { terminated: ended } };
    }),
  };
}

/** The end of a Job's pod that was only played. */
export function playedResult(pod: Pod, exitCode: number): PodStatus {
  const now = timestamp();
  const reason = exitCode === 0 ? "Completed" : "Error";
  return {
    ...pod.status,
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    conditions: podConditions(pod, false),
    containerStatuses: pod.spec.containers.map((container) =>
      containerStatus(container, { terminated: { exitCode, reason, startedAt: now, finishedAt: now } }, false),
    ),
  };
}

export function containerStatus(container: Container, state: ContainerState, ready: boolean): ContainerStatus {
  const pulled = !state.waiting;
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: pulled ? `${container.image ?? ""}@sandbox` : "",
    ...(pulled ? { containerID: `sandbox://${container.name}` } : {}),
    ready,
    started: ready,
    restartCount: 0,
    state,
    lastState: {},
  };
}

/** The conditions a kubelet sets; `reason` explains why a pod is not ready. */
export function podConditions(
  pod: Pod,
  ready: boolean,
  reason = "ContainersNotReady",
  initialized = true,
): Condition[] {
  const known = pod.status.conditions ?? [];
  const status = ready ? "True" : "False";
  const why = ready
    ? {}
    : { reason, message: `containers with unready status: [${pod.spec.containers.map((c) => c.name).join(" ")}]` };
  const wanted: Condition[] = [
    { type: "Initialized", status: initialized ? "True" : "False" },
    { type: "Ready", status, ...why },
    { type: "ContainersReady", status, ...why },
    { type: "PodScheduled", status: "True" },
  ];
  return wanted.map((condition) => {
    const old = known.find((candidate) => candidate.type === condition.type);
    const time = old?.status === condition.status && old.lastTransitionTime ? old.lastTransitionTime : timestamp();
    return { ...condition, lastTransitionTime: time };
  });
}
