import { openCluster } from "../../clusters/openCluster.ts";
import type { Used } from "../../costs/rules/used.ts";
import { nowSeconds } from "../../store/ids.ts";
import { findPod } from "./liveJob.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";
import { usedByPod } from "./rules/usedByPod.ts";

/** What the job's pod held of its cluster until now; nothing when it is gone. Before the job is removed. @throws ClusterError */
export async function usedByContainerJob(ref: ContainerJobRef): Promise<Used> {
  const { client } = await openCluster(ref.clusterId);
  const pod = await findPod(client, ref);
  return pod === undefined ? {} : usedByPod(pod, nowSeconds());
}
