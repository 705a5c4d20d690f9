import { allProjects, type ClusterSummary, listClusters } from "../../../shared/clusters/store/clusters.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success } from "../../../shared/http/schemas.ts";
import { hasIstio } from "./hasIstio.ts";
import { registerCluster } from "./registerCluster.ts";
import { removeCluster } from "./removeCluster.ts";
import { clusterRoutes } from "./routes.ts";
import { shownCluster } from "./shownCluster.ts";
import { updateCluster } from "./updateCluster.ts";

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
