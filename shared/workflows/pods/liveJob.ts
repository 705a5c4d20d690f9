import type { CallOptions, ClusterClient, LiveObject } from "../../kube/client/ClusterClient.ts";
import { ClusterNotFound } from "../../kube/client/errors.ts";
import { findObject } from "../../kube/client/findObject.ts";
import type { ContainerState, ContainerStatus, LivePod } from "../../kube/live/liveTypes.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";
import { entries } from "./rules/jobSecret.ts";

export type LiveJob = LiveObject & {
  spec?: { suspend?: boolean };
  status?: {
    startTime?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
};

/** The Job, or undefined when there is none. @throws ClusterError */
export async function findJob(
  client: ClusterClient,
  { namespace, name }: ContainerJobRef,
  call: CallOptions = {},
): Promise<LiveJob | undefined> {
  return findObject(client, { apiVersion: "batch/v1", kind: "Job", namespace, name }, call);
}

/** The Job's pod, or undefined when it does not exist yet or is gone. @throws ClusterError */
export async function findPod(
  client: ClusterClient,
  { namespace, name }: ContainerJobRef,
  call: CallOptions = {},
): Promise<LivePod | undefined> {
  const { items } = await client.list(
    { apiVersion: "v1", kind: "Pod" },
    { namespace, labelSelector: `s-name=${name}`, ...call },
  );
  return items[0];
}

/** The condition that says that a Job has ended; undefined while it has not. */
export function endOf(job: LiveJob): { type: string; reason?: string; message?: string } | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
}

/** Statuses of the steps' containers in order; empty before the node took the pod. */
export function stepStatuses(pod: LivePod): readonly ContainerStatus[] {
  const order = (pod.spec?.initContainers ?? []).map(({ name }) => name);
  const statuses = pod.status?.initContainerStatuses ?? [];
  return order.flatMap((name) => statuses.find((status) => status.name === name) ?? []);
}

export function hasStarted({ state }: { state?: ContainerState }): boolean {
  return state?.running !== undefined || state?.terminated !== undefined;
}

/**
 * What is masked in a job's log, from its Secret.
 * @returns undefined when the Secret is gone: nothing of the log may be shown then
 */
export async function masksOfJob(
  client: ClusterClient,
  { namespace, name }: ContainerJobRef,
): Promise<readonly string[] | undefined> {
  try {
    const secret: LiveObject & { data?: Record<string, string> } = await client.get({
      apiVersion: "v1",
      kind: "Secret",
      namespace,
      name,
    });
    const masks = secret.data?.[entries.masks];
    return masks === undefined ? undefined : (JSON.parse(Buffer.from(masks, "base64").toString("utf8")) as string[]);
  } catch (error) {
    if (error instanceof ClusterNotFound) return undefined;
    throw error;
  }
}
