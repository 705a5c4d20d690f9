import type * as z from "zod";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { newId, nowSeconds } from "../../../shared/base/store/ids.ts";
import { ConditionFailed } from "../../../shared/base/store/tableClient.ts";
import { untrustedAccess } from "../../../shared/kube/clusters/clusterAccess.ts";
import { type ClusterRecord, createCluster, findClusterByName } from "../../../shared/kube/clusters/store/clusters.ts";
import { checkedKubeconfig, requireConnection } from "./checkedKubeconfig.ts";
import type { newCluster } from "./schemas.ts";

type Wanted = z.output<typeof newCluster>;

/**
 * Registers a cluster; nothing is stored before it answered (contract D 6.3).
 * @throws ApiError 6641 for an agent, which nothing here serves, and for a name that is taken; 400 for a cluster that cannot be used
 */
export async function registerCluster(wanted: Wanted, creator: string): Promise<ClusterRecord> {
  if (wanted.type === "agent") throw new ApiError(6641, "agents are not offered; use a kubeconfig or EKS");
  if ((await findClusterByName(wanted.name)) !== undefined) throw nameTaken(wanted.name);
  const clusterId = newId();
  const record: ClusterRecord = {
    clusterId,
    name: wanted.name,
    clusterType: wanted.type,
    provider: wanted.provider,
    production: wanted.production,
    description: wanted.description,
    createdBy: `${creator}(openAPI)`,
    createdTime: nowSeconds(),
    local: false,
    status: "normal",
    statusMessage: "",
    projectNames: wanted.project_names,
    ...(await connectionOf(clusterId, wanted)),
  };
  try {
    await createCluster(record);
  } catch (error) {
    if (error instanceof ConditionFailed) throw nameTaken(wanted.name);
    throw error;
  }
  return record;
}

async function connectionOf(clusterId: string, wanted: Wanted): Promise<Pick<ClusterRecord, "kubeConfig" | "eks">> {
  if (wanted.eks === undefined) return { kubeConfig: await checkedKubeconfig(clusterId, wanted.kube_config) };
  const { region, cluster_name: clusterName, role_arn: roleArn, external_id: externalId } = wanted.eks;
  const eks = { region, clusterName, roleArn, externalId };
  await requireConnection("eks", untrustedAccess({ eks }));
  return { eks };
}

function nameTaken(name: string): ApiError {
  return new ApiError(6641, `a cluster named ${name} exists; choose another name`);
}
