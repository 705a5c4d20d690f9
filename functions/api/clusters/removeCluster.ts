import { forgetCluster } from "../../../shared/clusters/openCluster.ts";
import { deleteCluster, findCluster } from "../../../shared/clusters/store/clusters.ts";
import { requireUnused } from "../../../shared/definitions/requireUnused.ts";
import { ApiError } from "../../../shared/errors/apiError.ts";
import { keys, references } from "../../../shared/store/keys.ts";
import { referringEnvironments } from "../../../shared/store/references.ts";

const maxNamed = 5;

/**
 * Forgets a cluster; one that is gone already is no error, nothing is removed inside it (contract D 6.5).
 * @throws ApiError 6644 for the installation's own cluster and while an environment is on it or a job is to run there
 */
export async function removeCluster(clusterId: string): Promise<void> {
  const cluster = await findCluster(clusterId);
  if (cluster === undefined) return;
  if (cluster.local) throw new ApiError(6644, "the installation's own cluster cannot be deleted");
  const environments = await referringEnvironments(references.cluster(clusterId));
  if (environments.length > 0) {
    const names = environments.slice(0, maxNamed).map(({ projectKey, envKey }) => `${envKey} of project ${projectKey}`);
    const more = environments.length > maxNamed ? ` and ${environments.length - maxNamed} more` : "";
    throw new ApiError(6644, `delete its environments first: ${names.join(", ")}${more}`);
  }
  await requireUnused(`the cluster ${cluster.name}`, { key: keys.cluster(clusterId) }, 6644);
  await deleteCluster(cluster);
  forgetCluster(clusterId);
}
