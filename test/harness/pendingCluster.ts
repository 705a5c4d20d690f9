import { newId } from "../../shared/base/store/ids.ts";
import { createCluster } from "../../shared/kube/clusters/store/clusters.ts";

/** A cluster of an agent, as installations hold them from when agents could be registered. @returns its id */
export async function pendingCluster(name: string, projectNames: readonly string[] = []): Promise<string> {
  const clusterId = newId();
  await createCluster({
    clusterId,
    name,
    clusterType: "agent",
    provider: 0,
    production: false,
    description: "",
    createdBy: "test",
    createdTime: 0,
    local: false,
    status: "pending",
    statusMessage: "",
    projectNames: [...projectNames],
  });
  return clusterId;
}
