import { unixSeconds } from "../../../base/common/dateTime.ts";
import type { Container, LivePod } from "../../../kube/live/liveTypes.ts";
import { amountOf } from "../../../manifest/amountOf.ts";
import type { Used } from "../../../reports/costs/rules/used.ts";

const mib = 2 ** 20;

/**
 * What a pod held from the moment its node took it until its last container ended: what the scheduler kept free for it,
 * which is what it requests (https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers).
 * A container that requests nothing requests its limit, as the API server has it.
 * @param now Unix seconds, for a pod that still runs
 */
export function usedByPod({ spec, status }: LivePod, now: number): Used {
  if (status?.startTime === undefined) return {};
  const seconds = Math.max(0, endOf(status, now) - unixSeconds(status.startTime));
  const held = (resource: "cpu" | "memory") => heldBy(spec ?? {}, resource);
  return {
    cpuMilliSeconds: Math.round(held("cpu") * 1000 * seconds),
    memoryMibSeconds: Math.round((held("memory") / mib) * seconds),
  };
}

/** Containers of a pod run together, those before them one after the other. */
function heldBy({ initContainers = [], containers = [] }: NonNullable<LivePod["spec"]>, resource: string): number {
  const ofEach = (those: readonly Container[]) => those.map((container) => requestOf(container, resource));
  return Math.max(
    ofEach(containers).reduce((sum, one) => sum + one, 0),
    ...ofEach(initContainers),
  );
}

function requestOf({ resources }: Container, resource: string): number {
  return amountOf(resources?.requests?.[resource] ?? resources?.limits?.[resource]) ?? 0;
}

function endOf({ phase, ...status }: NonNullable<LivePod["status"]>, now: number): number {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ends = all.flatMap(({ state }) => state?.terminated?.finishedAt ?? []);
  const isOver = phase === "Succeeded" || phase === "Failed";
  return isOver && ends.length > 0 ? Math.max(...ends.map((end) => unixSeconds(end))) : now;
}
