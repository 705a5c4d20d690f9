import { mayReadTask } from "../../../shared/http/mayReadTask.ts";
import { defineStream, defineTextStream, fromPath, fromQuery } from "../../../shared/http/route.ts";
import { containerLogParams, containerLogQuery, followedJobLogParams, jobLogParams } from "./schemas.ts";

const ofWorkflow = {
  tag: "Logs",
  permission: mayReadTask,
  scope: { projectOf: "workflow", workflow: fromPath("workflowName") },
} as const;

export const logRoutes = {
  followJobLog: defineStream({
    path: "/openapi/logs/sse/v4/workflow/:workflowName/:taskID/:jobName/:lines",
    summary: "Follow the log of a job of a workflow task",
    ...ofWorkflow,
    params: followedJobLogParams,
  }),
  getJobLog: defineTextStream({
    path: "/openapi/logs/log/v4/workflow/:workflowName/:taskID/:jobName",
    summary: "Get the whole log of an ended job of a workflow task",
    ...ofWorkflow,
    params: jobLogParams,
  }),
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
