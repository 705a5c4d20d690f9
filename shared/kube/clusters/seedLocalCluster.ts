import { seal } from "../../base/aws/secrets/sealedSecret.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { kubeConfigOwner } from "./clusterAccess.ts";
import { allProjects, changeCluster, createCluster, findCluster, localClusterId } from "./store/clusters.ts";

/**
 * Makes the cluster of this machine known under its fixed id, or gives it the kubeconfig of this start (decisions 5.1,
 * 5.2). Name, description and project_names that an administrator changed stay. Belongs to the local start alone.
 */
export async function seedLocalCluster(kubeconfigText: string): Promise<void> {
  const kubeConfig = await seal(kubeconfigText, kubeConfigOwner(localClusterId));
  const current = { kubeConfig, trusted: true, status: "normal", statusMessage: "" } as const;
  const known = await findCluster(localClusterId);
  if (known !== undefined) return changeCluster(known, current);
  await createCluster({
    clusterId: localClusterId,
    name: "local",
    clusterType: "kubeconfig",
    provider: 0,
    production: true,
    description: "",
    createdBy: "system",
    createdTime: nowSeconds(),
    local: true,
    projectNames: [allProjects],
    ...current,
  });
}
