import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/**
 * Takes away a Job with its pod, its Secrets and its temporary claims: at the end, on cancel and on timeout. What is gone
 * already is no error. @throws ClusterError
 */
export async function removeContainerJob({ clusterId, namespace, name }: ContainerJobRef): Promise<void> {
  const { client } = await openCluster(clusterId);
  await client.remove({ apiVersion: "batch/v1", kind: "Job", namespace, name }, { propagation: "Background" });
  // Before the cluster gets to it by itself: credentials live no longer than their job.
  await Promise.all(
    [name, `${name}-pull`].map((secret) =>
      client.remove({ apiVersion: "v1", kind: "Secret", namespace, name: secret }),
    ),
  );
}
