import { ClusterUnknown, describeClusterError, openCluster } from "../../../shared/clusters/openCluster.ts";
import { reportClusterUse } from "../../../shared/clusters/reportClusterStatus.ts";
import { ApiError, notFound } from "../../../shared/errors/apiError.ts";
import { ClusterError } from "../../../shared/kube/client/errors.ts";

/**
 * Returns whether a Deployment named istiod exists in any namespace (contract D 6.6).
 * @throws ApiError 404 for an unknown cluster, 6403 for one that cannot be used
 */
export async function hasIstio(clusterId: string): Promise<boolean> {
  try {
    const { record, client } = await openCluster(clusterId);
    const found = await reportClusterUse(record, () =>
      client.list(
        { apiVersion: "apps/v1", kind: "Deployment" },
        { fieldSelector: "metadata.name=istiod", metadataOnly: true },
      ),
    );
    return found.items.length > 0;
  } catch (error) {
    if (error instanceof ClusterUnknown) throw notFound(`cluster ${clusterId}`);
    if (error instanceof ClusterError) throw new ApiError(6403, describeClusterError(error));
    throw error;
  }
}
