import { defineStream, fromQuery } from "../../../shared/http/route.ts";
import { containerLogParams, containerLogQuery } from "./schemas.ts";

export const logRoutes = {
  followContainerLog: defineStream({
    path: "/openapi/logs/sse/pods/:podName/containers/:containerName",
    summary: "Follow the log of a container in an environment of either kind",
    tag: "Logs",
    permission: {
      kind: "verb",
      verbs: ["get_environment"],
      productionVerbs: ["get_production_environment"],
      collaboration: "environment",
    },
    scope: { project: fromQuery("projectKey"), environment: fromQuery("envName") },
    params: containerLogParams,
    query: containerLogQuery,
    queryAliases: { tails: ["tailLines"] },
  }),
};
