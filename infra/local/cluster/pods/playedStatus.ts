import type { Cluster } from "../controllers/controller.ts";
import { timestamp } from "../model/object.ts";
import type { Condition, Container, ContainerState, ContainerStatus, Pod, PodStatus } from "../model/workloads.ts";

/** Statuses of pods that do not run. An image that ends in `:missing` cannot be pulled, one in `:crash` crashes. */
export function missingImages(pod: Pod): string[] {
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  return containers.filter(isMissing).map(({ image = "" }) => image);
}

function isMissing({ image = "" }: Container): boolean {
  return image.endsWith(":missing");
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

/** A pod with an image that cannot be pulled: as on a node, only the container of that image says so. */
export function pulling(pod: Pod): PodStatus {
  const now = timestamp();
  const { initContainers = [], containers } = pod.spec;
  const firstMissing = initContainers.findIndex(isMissing);
  const stopsBefore = firstMissing === -1 ? initContainers.length : firstMissing;
  const backOff = ({ image = "" }: Container): ContainerState => ({
    waiting: { reason: "ImagePullBackOff", message: `Back-off pulling image ${image}` },
  });
  const done: ContainerState = { terminated: { exitCode: 0, reason: "Completed", startedAt: now, finishedAt: now } };
  const later = firstMissing === -1 ? "ContainerCreating" : "PodInitializing";
  const initStates = initContainers.map((container, at) => {
    if (at < stopsBefore) return done;
    return at === stopsBefore ? backOff(container) : { waiting: { reason: later } };
  });
  const isPulling = (container: Container) => firstMissing === -1 && isMissing(container);
  return {
    ...pod.status,
    phase: "Pending",
    conditions: podConditions(pod, false, "ContainersNotReady", firstMissing === -1),
    startTime: pod.status.startTime ?? now,
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((one, at) =>
        containerStatus(one, initStates[at] ?? done, at < stopsBefore),
      ),
    }),
    containerStatuses: containers.map((one) =>
      containerStatus(one, isPulling(one) ? backOff(one) : { waiting: { reason: later } }, false),
    ),
  };
}

/** A pod whose containers crash again and again. */
export function crashLooping(pod: Pod): PodStatus {
  const now = timestamp();
  const waiting = { reason: "CrashLoopBackOff", message: "back-off restarting failed container" };
  const ended = { exitCode: 1, reason: "Error", startedAt: now, finishedAt: now };
  return {
    ...pod.status,
    phase: "Running",
    conditions: podConditions(pod, false),
    startTime: pod.status.startTime ?? now,
    containerStatuses: pod.spec.containers.map((container) => {
      const status = containerStatus(container, { waiting }, false);
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
