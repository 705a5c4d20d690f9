import { unixSeconds } from "../../base/common/dateTime.ts";
import { ageText } from "./ageText.ts";
import { conditionOf } from "./conditions.ts";
import type { Container, ContainerState, ContainerStatus, LivePod } from "./liveTypes.ts";

/** A pod as the instance detail shows it, spelled as on the wire (contract P 5.1). */
export interface PodDetail {
  kind: "Pod";
  name: string;
  status: string;
  age: string;
  createtime: number;
  ip: string;
  labels: Record<string, string>;
  containers: PodContainer[];
  node_name: string;
  host_ip: string;
  enable_debug_container: boolean;
  pod_ready: boolean;
  containers_ready: boolean;
  containers_message: string;
}

export interface PodContainer {
  name: string;
  image: string;
  restart_count: number;
  status: "running" | "waiting" | "terminated" | "";
  ready: boolean;
  ports: NonNullable<Container["ports"]>;
  message: string;
  reason: string;
  started_at: number;
  finished_at?: number;
}

export function podDetail(pod: LivePod, now: number): PodDetail {
  const { metadata, spec = {}, status = {} } = pod;
  const containersReady = conditionOf(pod, "ContainersReady");
  return {
    kind: "Pod",
    name: metadata.name,
    status: podStatus(pod),
    age: ageText(metadata.creationTimestamp, now),
    createtime: unixSeconds(metadata.creationTimestamp),
    ip: status.podIP ?? "",
    labels: metadata.labels ?? {},
    containers: (spec.containers ?? []).map((container) =>
      containerDetail(
        container,
        status.containerStatuses?.find(({ name }) => name === container.name),
      ),
    ),
    node_name: spec.nodeName ?? "",
    host_ip: status.hostIP ?? "",
    enable_debug_container: (spec.ephemeralContainers ?? []).length > 0,
    pod_ready: conditionOf(pod, "Ready")?.status === "True",
    containers_ready: containersReady?.status === "True",
    containers_message: containersReady?.status === "True" ? "" : (containersReady?.message ?? ""),
  };
}

/** The phase, with the words of the contract for pods that it does not describe well. */
export function podStatus(pod: LivePod): string {
  const { metadata, status = {} } = pod;
  if (metadata.deletionTimestamp !== undefined) return "Terminating";
  const phase = status.phase ?? "Unknown";
  const ofJob = metadata.ownerReferences?.some(({ kind }) => kind === "Job") === true;
  if (phase === "Succeeded" && ofJob) return "Completed";
  const stopped = status.containerStatuses?.some(({ state }) => state?.running === undefined) === true;
  return phase === "Running" && stopped ? "Unstable" : phase;
}

function containerDetail(container: Container, status: ContainerStatus | undefined): PodContainer {
  const { running, waiting, terminated }: ContainerState = status?.state ?? {};
  return {
    name: container.name,
    image: container.image ?? "",
    restart_count: status?.restartCount ?? 0,
    status: running ? "running" : waiting ? "waiting" : terminated ? "terminated" : "",
    ready: status?.ready ?? false,
    ports: (container.ports ?? []).map((port) => ({ ...port, protocol: port.protocol ?? "TCP" })),
    message: waiting?.message ?? terminated?.message ?? "",
    reason: waiting?.reason ?? terminated?.reason ?? "",
    started_at: unixSeconds(running?.startedAt ?? terminated?.startedAt),
    ...(terminated !== undefined && { finished_at: unixSeconds(terminated.finishedAt) }),
  };
}
