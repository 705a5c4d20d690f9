import type * as z from "zod";
import { ApiError, badRequest, notFound } from "../../../shared/base/errors/apiError.ts";
import { conflictedOn } from "../../../shared/base/store/tableClient.ts";
import { type ClusterRecord, changeCluster, findCluster } from "../../../shared/kube/clusters/store/clusters.ts";
import { checkedKubeconfig } from "./checkedKubeconfig.ts";
import type { changedCluster } from "./schemas.ts";

type Wanted = z.output<typeof changedCluster>;

/**
 * Changes what was given and keeps the rest (contract D 6.4).
 * @throws ApiError 404, 6642 for a name that is taken, 400 for a kubeconfig that cannot be used
 */
export async function updateCluster(clusterId: string, wanted: Wanted): Promise<void> {
  const cluster = await findCluster(clusterId);
  if (cluster === undefined) throw notFound(`cluster ${clusterId}`);
  const name = wanted.name ?? cluster.name;
  try {
    await changeCluster(cluster, {
      name,
      description: wanted.description ?? cluster.description,
      projectNames: wanted.project_names ?? cluster.projectNames,
      ...(await newKubeconfig(cluster, wanted.kube_config ?? "")),
    });
  } catch (error) {
    if (conflictedOn(error, "cluster name"))
      throw new ApiError(6642, `a cluster named ${name} exists; choose another name`);
    throw error;
  }
}

async function newKubeconfig(
  { clusterId, kubeConfig, local }: ClusterRecord,
  text: string,
): Promise<Partial<ClusterRecord>> {
  if (text === "") return {};
  if (kubeConfig === undefined || local) {
    const problem = local ? "follows the setting of the installation" : "belongs to a cluster registered with one";
    throw badRequest([{ in: "body", path: "kube_config", problem }]);
  }
  return { kubeConfig: await checkedKubeconfig(clusterId, text), status: "normal", statusMessage: "" };
}
