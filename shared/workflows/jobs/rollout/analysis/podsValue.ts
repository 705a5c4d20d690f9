import { besideName, type Rollout } from "../../../../environments/store/rollouts.ts";
import type { ClusterClient } from "../../../../kube/client/ClusterClient.ts";
import { findObject } from "../../../../kube/client/findObject.ts";
import { conditionOf } from "../../../../kube/conditions.ts";
import { isPod, type LivePod } from "../../../../kube/liveTypes.ts";
import { deploymentRef, textsAt } from "../findTarget.ts";
import { NoValue } from "./noValue.ts";

/** Restarts of the new pods, and how many of them are not ready. @throws NoValue when there is none */
export async function podsValue(client: ClusterClient, rollout: Rollout): Promise<number> {
  const { namespace } = rollout;
  const beside = await findObject(client, deploymentRef({ namespace, name: besideName(rollout.name, rollout) }));
  const labels = Object.entries(beside === undefined ? {} : textsAt(beside, ["spec", "selector", "matchLabels"]));
  if (labels.length === 0) throw new NoValue("there is nothing beside the workload");
  const labelSelector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  const { items } = await client.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector });
  const pods = items.filter(isPod).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pods.length === 0) throw new NoValue("there are no new pods");
  return pods.reduce((sum, pod) => sum + restartsOf(pod) + (isReady(pod) ? 0 : 1), 0);
}

function restartsOf({ status }: LivePod): number {
  return (status?.containerStatuses ?? []).reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
}

function isReady(pod: LivePod): boolean {
  return conditionOf(pod, "Ready")?.status === "True";
}
