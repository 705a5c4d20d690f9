import type * as z from "zod";
import { clusterProviders } from "../../../shared/clusters/providers.ts";
import type { ClusterSummary } from "../../../shared/clusters/store/clusters.ts";
import type { cluster as shape } from "./schemas.ts";

/** A cluster as contract D 6.1 shows it. Why it is abnormal may name inner addresses, so only administrators see it. */
export function shownCluster(cluster: ClusterSummary, toAdministrator: boolean): z.input<typeof shape> {
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
