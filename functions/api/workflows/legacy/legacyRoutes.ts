import { maskStart } from "../../../../shared/access/audit/maskStart.ts";
import { defineRoute, fromBody, fromPath, type RawRequest } from "../../../../shared/http/route.ts";
import { started } from "../tasks/taskSchemas.ts";
import { commitQuery, foundTasks, legacyDone, legacyStart, legacyTask, ofLegacyTask } from "./legacySchemas.ts";

const path = "/api/directory/workflowTask";
const tag = "Legacy tasks";
const legacyErrors = true;
const scope = { projectOf: "workflow", workflow: fromPath("pipelineName") } as const;
const mayRun = { kind: "verb", verbs: ["run_workflow"], collaboration: "workflow" } as const;
const words = { function: "Workflow - Task" } as const;
const inPath = ({ params }: RawRequest): string => params.pipelineName ?? "";

/** What clients of the older line call (contract I 10). */
export const legacyRoutes = {
  findLegacyTasks: defineRoute({
    method: "GET",
    path,
    summary: "Find the tasks of the last 24 hours that worked on a commit, of workflows that the caller may read",
    tag,
    permission: { kind: "filtered" },
    query: commitQuery,
    response: foundTasks,
    legacyErrors,
  }),
  createLegacyTask: defineRoute({
    method: "POST",
    path: `${path}/create`,
    summary: "Start a task that builds services, or deploys images, into an environment",
    tag,
    permission: mayRun,
    freeze: "use-case",
    scope: { projectOf: "workflow", workflow: fromBody("workflow_name") },
    body: legacyStart,
    response: started,
    legacyErrors,
    audit: {
      ...{ ...words, method: "Add", body: "json" },
      detail: ({ body }) => (typeof body.workflow_name === "string" ? body.workflow_name : ""),
      kept: ({ body }) => (Object.keys(body).length === 0 ? undefined : maskStart(withoutCallback(body))),
    },
  }),
  restartLegacyTask: defineRoute({
    method: "POST",
    path: `${path}/id/:id/pipelines/:pipelineName/restart`,
    summary: "Run a task again that failed, timed out or was cancelled",
    tag,
    permission: mayRun,
    freeze: "use-case",
    scope,
    params: ofLegacyTask,
    response: legacyDone,
    legacyErrors,
    audit: { ...words, method: "Restart", detail: inPath, body: "none" },
  }),
  cancelLegacyTask: defineRoute({
    method: "POST",
    path: `${path}/id/:id/pipelines/:pipelineName/cancel`,
    summary: "Cancel a task that has not passed",
    tag,
    permission: mayRun,
    scope,
    params: ofLegacyTask,
    response: legacyDone,
    legacyErrors,
    audit: { ...words, method: "Cancel", detail: inPath, body: "none" },
  }),
  getLegacyTask: defineRoute({
    method: "GET",
    path: `${path}/id/:id/pipelines/:pipelineName`,
    summary: "Read a task: what it builds, its images and its test reports",
    tag,
    permission: { kind: "verb", verbs: ["get_workflow"], collaboration: "workflow" },
    scope,
    params: ofLegacyTask,
    response: legacyTask,
    legacyErrors,
  }),
};

/** Address and variables of a callback may hold secrets. */
function withoutCallback({ callback, ...body }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return callback === undefined ? body : { ...body, callback: "********" };
}
