import type * as z from "zod";
import { ApiError, notFound } from "../../../shared/base/errors/apiError.ts";
import { keys, references } from "../../../shared/base/store/keys/keys.ts";
import { referringEnvironments } from "../../../shared/base/store/references.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success } from "../../../shared/http/schemas.ts";
import { ClusterError } from "../../../shared/kube/client/errors.ts";
import {
  ClusterUnknown,
  describeClusterError,
  openCluster,
  removeCachedCluster,
} from "../../../shared/kube/clusters/openCluster.ts";
import { clusterProviders } from "../../../shared/kube/clusters/providers.ts";
import { reportClusterUse } from "../../../shared/kube/clusters/reportClusterStatus.ts";
import {
  allProjects,
  type ClusterSummary,
  deleteCluster,
  findCluster,
  listClusters,
} from "../../../shared/kube/clusters/store/clusters.ts";
import { requireUnused } from "../../../shared/workflows/jobDefinitions/requireUnused.ts";
import { registerCluster } from "./registerCluster.ts";
import { clusterRoutes } from "./routes.ts";
import type { cluster as shape } from "./schemas.ts";
import { updateCluster } from "./updateCluster.ts";

const maxNamed = 5;

/**
 * Forgets a cluster; one that is gone already is no error, nothing is removed inside it (contract D 6.5).
 * @throws ApiError 6644 for the installation's own cluster and while an environment is on it or a job is to run there
 */
async function removeCluster(clusterId: string): Promise<void> {
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
  removeCachedCluster(clusterId);
}

export const handler = createApi(clusterRoutes, {
  listClusters: async ({ query: { projectName = "" }, caller }) => {
    const clusters = (await listClusters()).flatMap((cluster) => visibleTo(caller, cluster) ?? []);
    const isOpen = (keys: readonly string[]) => keys.includes(projectName) || keys.includes(allProjects);
    const wanted = projectName === "" ? clusters : clusters.filter(({ projectNames }) => isOpen(projectNames));
    return wanted.map((cluster) => shownCluster(cluster, caller.grants.systemAdmin));
  },

  createCluster: async ({ body, caller }) => {
    const cluster = await registerCluster(body, caller.name);
    return { cluster: shownCluster(cluster, true), agent_cmd: "" };
  },

  updateCluster: async ({ params, body }) => {
    await updateCluster(params.id, body);
    return success;
  },

  deleteCluster: async ({ params }) => {
    await removeCluster(params.id);
    return success;
  },

  checkIstio: ({ params }) => hasIstio(params.id),
});

/** A cluster with the projects that the caller has something to do with; undefined for one of other projects alone. */
function visibleTo({ grants }: Caller, cluster: ClusterSummary): ClusterSummary | undefined {
  if (grants.systemAdmin || grants.readsEverything || cluster.projectNames.includes(allProjects)) return cluster;
  const projectNames = cluster.projectNames.filter((key) => grants.projects.has(key));
  return projectNames.length === 0 ? undefined : { ...cluster, projectNames };
}

/**
 * Returns whether a Deployment named istiod exists in any namespace (contract D 6.6).
 * @throws ApiError 404 for an unknown cluster, 6403 for one that cannot be used
 */
async function hasIstio(clusterId: string): Promise<boolean> {
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

/** A cluster as contract D 6.1 shows it. Why it is abnormal may name inner addresses, so only administrators see it. */
function shownCluster(cluster: ClusterSummary, toAdministrator: boolean): z.input<typeof shape> {
  const { provider, status, statusMessage } = cluster;
  return {
    cluster_id: cluster.clusterId,
    name: cluster.name,
    production: cluster.production,
    description: cluster.description,
    provider,
    provider_name: clusterProviders[provider] ?? clusterProviders[0],
    created_by: cluster.createdBy,
    created_time: cluster.createdTime,
    local: cluster.local,
    status,
    ...(toAdministrator && statusMessage !== "" && { status_message: statusMessage }),
    type: cluster.clusterType,
    project_names: [...cluster.projectNames],
  };
}
