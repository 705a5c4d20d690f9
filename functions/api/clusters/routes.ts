import * as z from "zod";
import { defineRoute } from "../../../shared/http/route.ts";
import { message } from "../../../shared/http/schemas.ts";
import { changedCluster, cluster, newCluster } from "./schemas.ts";

const tag = "Clusters";
const words = { function: "Resource Configuration - Cluster", body: "none" } as const;
const params = z.object({ id: z.string() });

export const clusterRoutes = {
  listClusters: defineRoute({
    method: "GET",
    path: "/openapi/system/cluster",
    summary: "List the clusters by name, all or those that a project may use",
    tag,
    permission: { kind: "anyRole" },
    query: z.object({ projectName: z.string().optional() }),
    queryAliases: { projectName: ["projectKey"] },
    response: z.array(cluster),
  }),
  createCluster: defineRoute({
    method: "POST",
    path: "/openapi/system/cluster",
    summary: "Register a cluster; the connection is checked first",
    tag,
    permission: { kind: "systemAdmin" },
    body: newCluster,
    response: z.object({ cluster, agent_cmd: z.literal("").meta({ description: "No agents are offered" }) }),
    audit: { ...words, method: "Create", detail: ({ body }) => String(body.name ?? "") },
  }),
  updateCluster: defineRoute({
    method: "PUT",
    path: "/openapi/system/cluster/:id(hex)",
    summary: "Change name, description, projects or kubeconfig of a cluster; what is not given stays",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    body: changedCluster,
    response: message,
    audit: { ...words, method: "Update", detail: ({ params: { id } }) => id ?? "" },
  }),
  deleteCluster: defineRoute({
    method: "DELETE",
    path: "/openapi/system/cluster/:id(hex)",
    summary: "Remove a cluster that no environment uses; nothing inside it is deleted",
    tag,
    permission: { kind: "systemAdmin" },
    params,
    response: message,
    audit: { ...words, method: "Delete", detail: ({ params: { id } }) => id ?? "" },
  }),
  checkIstio: defineRoute({
    method: "GET",
    path: "/openapi/cluster/istio/check/:id(hex)",
    summary: "Tell whether Istio is installed: a Deployment named istiod in any namespace",
    tag,
    permission: { kind: "anyRole" },
    params,
    response: z.boolean(),
  }),
};
