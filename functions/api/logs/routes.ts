import { mayReadTask } from "../../../shared/http/mayReadTask.ts";
import { defineRoute, defineStream, defineTextStream, fromPath, fromQuery } from "../../../shared/http/route.ts";
import * as schemas from "./schemas.ts";

const ofWorkflow = {
  tag: "Logs",
  permission: mayReadTask,
  scope: { projectOf: "workflow", workflow: fromPath("workflowName") },
} as const;

/** Routes of the console for tests and code scans, which belong to the project that the query names (contract W 14). */
const console = "/api/aslan/logs";
const testPath = "testing/:testName/tasks/:taskID";
const scanPath = "scanning/:scanName/task/:taskID";
const ofProject = { tag: "Logs", scope: { project: fromQuery("projectKey") } } as const;
const ofTest = {
  ...ofProject,
  permission: { kind: "verb", verbs: ["get_test"] },
  params: schemas.testLogParams,
} as const;
const ofScan = {
  ...ofProject,
  permission: { kind: "verb", verbs: ["get_scan"] },
  params: schemas.scanLogParams,
} as const;
const whole = { query: schemas.wholeLogQuery, queryAliases: { projectKey: ["projectName"] } };
const followed = {
  query: schemas.followedLogQuery,
  queryAliases: { projectKey: ["projectName"], tails: ["tailLines", "lines"] },
};

export const logRoutes = {
  followJobLog: defineStream({
    path: "/openapi/logs/sse/v4/workflow/:workflowName/:taskID/:jobName/:lines",
    summary: "Follow the log of a job of a workflow task",
    ...ofWorkflow,
    params: schemas.followedJobLogParams,
  }),
  getJobLog: defineTextStream({
    path: "/openapi/logs/log/v4/workflow/:workflowName/:taskID/:jobName",
    summary: "Get the whole log of an ended job of a workflow task",
    ...ofWorkflow,
    params: schemas.jobLogParams,
  }),
  getJobLogByOlderPath: defineTextStream({
    path: `${console}/log/v4/workflow/:workflowName/tasks/:taskID/jobs/:jobName`,
    summary: "Get the whole log of an ended job of a workflow task, by an older path",
    ...ofWorkflow,
    params: schemas.jobLogParams,
  }),
  listJobFiles: defineRoute({
    method: "GET",
    path: "/openapi/logs/files/v4/workflow/:workflowName/:taskID/:jobName",
    summary: "List the files that a job of a workflow task kept, with addresses to fetch them from",
    ...ofWorkflow,
    params: schemas.jobLogParams,
    response: schemas.keptFiles,
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
    params: schemas.containerLogParams,
    query: schemas.containerLogQuery,
    queryAliases: { tails: ["tailLines"] },
  }),
  followTestLog: defineStream({
    path: `${console}/sse/${testPath}`,
    summary: "Follow the log of a task of a test",
    ...ofTest,
    ...followed,
  }),
  listTestFiles: defineRoute({
    method: "GET",
    path: `${console}/files/${testPath}`,
    summary: "List the files that a task of a test kept, with addresses to fetch them from",
    ...ofTest,
    ...whole,
    response: schemas.keptFiles,
  }),
  getTestLog: defineTextStream({
    path: `${console}/log/${testPath}`,
    summary: "Get the whole log of an ended task of a test",
    ...ofTest,
    ...whole,
  }),
  followScanLog: defineStream({
    path: `${console}/sse/${scanPath}`,
    summary: "Follow the log of a task of a code scan",
    ...ofScan,
    ...followed,
  }),
  listScanFiles: defineRoute({
    method: "GET",
    path: `${console}/files/${scanPath}`,
    summary: "List the files that a task of a code scan kept, with addresses to fetch them from",
    ...ofScan,
    ...whole,
    response: schemas.keptFiles,
  }),
  getScanLog: defineTextStream({
    path: `${console}/log/${scanPath}`,
    summary: "Get the whole log of an ended task of a code scan",
    ...ofScan,
    ...whole,
  }),
};
