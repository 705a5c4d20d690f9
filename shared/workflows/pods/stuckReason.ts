import { nowSeconds } from "../../base/store/ids.ts";
import type { CallOptions, ClusterClient } from "../../kube/client/ClusterClient.ts";
import { eventsOf } from "../../kube/live/eventsOf.ts";
import type { ContainerStatus, LivePod } from "../../kube/live/liveTypes.ts";
import { type LiveJob, stepStatuses } from "./liveJob.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/** How long nothing may happen before warnings count (contract W 11.1). */
const patienceSeconds = 120;
/** A node that takes an OOM kill for a failure starts nothing after it. */
const afterKillSeconds = 5;
/** Warnings that keep no pod from starting: a full cluster may have room later, and the others are about names. */
const harmless = new Set(["FailedScheduling", "MissingClusterDNS", "DNSConfigForming"]);

/**
 * Why a job is stuck: nothing of its pod has run for two minutes and the cluster warns of something else than a full
 * cluster (contract W 11.1); or a process of a step was killed for its memory. For then the node ends the pod, although
 * the step itself ended with 0, and shows it as pending for ever. While steps run one after the other, a pod is pending
 * too.
 * @returns a sentence without its end
 */
export async function stuckReason(
  client: ClusterClient,
  { namespace, name }: Pick<ContainerJobRef, "namespace" | "name">,
  { job, pod }: { job: LiveJob; pod: LivePod | undefined },
  { now = nowSeconds(), ...call }: CallOptions & { now?: number } = {},
): Promise<string | undefined> {
  const since = idleSince(job, pod);
  if (since === undefined || now - since < afterKillSeconds) return undefined;
  const killed = pod && stepStatuses(pod).find(({ state }) => state?.terminated?.reason === "OOMKilled");
  if (killed !== undefined) return `step ${killed.name} needed more memory than it may have (OOMKilled)`;
  if (now - since < patienceSeconds) return undefined;
  const object = pod === undefined ? { kind: "Job", name } : { kind: "Pod", name: pod.metadata.name };
  const warning = (await eventsOf(client, { ...object, namespace }, call)).find(
    ({ type, reason = "", last_seen = 0 }) => type === "Warning" && !harmless.has(reason) && last_seen >= since,
  );
  if (warning === undefined) return undefined;
  const { reason = "Warning", message = "the cluster gives no reason" } = waitingFor(pod) ?? warning;
  return `the job's pod does not start: ${reason}: ${message}`;
}

/** What a container says that it waits for; better than events, of which the newest may be about something else. */
function waitingFor(pod: LivePod | undefined): { reason?: string; message?: string } | undefined {
  const { initContainerStatuses = [], containerStatuses = [] } = pod?.status ?? {};
  const says = ({ state }: ContainerStatus) => state?.waiting?.message !== undefined;
  return [...initContainerStatuses, ...containerStatuses].find(says)?.state?.waiting;
}

/** Unix seconds since when nothing of the job runs; undefined when something does. */
function idleSince(job: LiveJob, pod: LivePod | undefined): number | undefined {
  if (pod === undefined) return seconds(job.status?.startTime ?? job.metadata.creationTimestamp);
  if (pod.status?.phase !== "Pending" && pod.status?.phase !== undefined) return undefined;
  const steps = stepStatuses(pod);
  if (steps.some(({ state }) => state?.running !== undefined)) return undefined;
  const ends = steps.map(({ state }) => seconds(state?.terminated?.finishedAt) ?? 0);
  return Math.max(seconds(pod.metadata.creationTimestamp) ?? 0, ...ends);
}

function seconds(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Math.floor(Date.parse(time) / 1000);
}
