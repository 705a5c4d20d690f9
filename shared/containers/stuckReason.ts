import type { CallOptions, ClusterClient } from "../clients/kubernetes/ClusterClient.ts";
import { eventsOf } from "../deploy/eventsOf.ts";
import type { LivePod } from "../deploy/liveTypes.ts";
import type { ContainerJobRef } from "../domain/container/containerJob.ts";
import { nowSeconds } from "../store/ids.ts";
import { type LiveJob, stepStatuses } from "./liveJob.ts";

/** How long nothing may go on before warnings count (contract W 11.1). */
export const patienceSeconds = 120;

/**
 * Whether a job waits for something that does not come: nothing of its pod has run for two minutes and the cluster warns
 * of something else than a full cluster (contract W 11.1). While steps run one after the other, a pod is pending too.
 * @returns the cluster's own words
 */
export async function stuckReason(
  client: ClusterClient,
  { namespace, name }: Pick<ContainerJobRef, "namespace" | "name">,
  { job, pod }: { job: LiveJob; pod: LivePod | undefined },
  { now = nowSeconds(), ...call }: CallOptions & { now?: number } = {},
): Promise<string | undefined> {
  const since = idleSince(job, pod);
  if (since === undefined || now - since < patienceSeconds) return undefined;
  const object = pod === undefined ? { kind: "Job", name } : { kind: "Pod", name: pod.metadata.name };
  const warning = (await eventsOf(client, { ...object, namespace }, call)).find(
    ({ type, reason, last_seen = 0 }) => type === "Warning" && reason !== "FailedScheduling" && last_seen >= since,
  );
  return warning && `${warning.reason ?? "Warning"}: ${warning.message ?? "the cluster says no more"}`;
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
