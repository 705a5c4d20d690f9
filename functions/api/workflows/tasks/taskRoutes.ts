import * as z from "zod";
import { maskStart } from "../../../../shared/access/audit/maskStart.ts";
import { mayReadTask } from "../../../../shared/http/mayReadTask.ts";
import { defineRoute, fromBody, fromPath, fromQuery, type RawRequest } from "../../../../shared/http/route.ts";
import { message } from "../../../../shared/http/schemas.ts";
import {
  approveInput,
  consoleApproveInput,
  errorInput,
  executeInput,
  manualExecState,
  ofTask,
  ofTaskAliases,
  ofWorkflow,
  remarkInput,
  rolloutInput,
  started,
  startInput,
  taskDetail,
  taskIdText,
  taskList,
  taskPage,
  taskPath,
} from "./taskSchemas.ts";

const tag = "Workflow tasks";
const mayStart = { kind: "verb", verbs: ["run_workflow"], collaboration: "workflow" } as const;
/** Tests and scans are named by their keys in the place of a workflow's (contract W 8.1). */
const mayRun = { ...mayStart, qualityVerbs: { test: ["run_test"], scan: ["run_scan"] } } as const;
/** Who decides is checked against the approvers of the task (contract I 13.4). */
const approver = { kind: "authenticated" } as const;

const inQuery = fromQuery("workflowKey");
/** For calls that do not name the project: the workflow's decides. */
const scopeOfTask = { projectOf: "workflow", workflow: inQuery } as const;
const inPath = { project: fromQuery("projectKey"), workflow: fromPath("workflowKey") } as const;

const bodyText =
  (name: string) =>
  ({ body }: RawRequest): string =>
    typeof body[name] === "string" ? body[name] : "";
const words = { function: "Workflow Task" } as const;
const keyInPath = ({ params }: RawRequest): string => params.workflowKey ?? "";
const keyInQuery = ({ query }: RawRequest): string => query.workflowKey ?? "";

/** By what is done (decisions 12.6). */
const rolloutMethods = new Map([
  ["pause", "Pause"],
  ["promote", "Promote"],
  ["abort", "Abort"],
]);

const consolePath = z.object({ workflowName: z.string(), taskId: taskIdText });
const consoleScope = { projectOf: "workflow", workflow: fromPath("workflowName") } as const;
const consoleKey = ({ params }: RawRequest): string => params.workflowName ?? "";
const console = "/api/aslan/workflow/v4/workflowtask";

/** A start, at either of its paths. */
const start = {
  tag,
  permission: mayStart,
  freeze: "use-case",
  scope: {
    project: fromBody("project_key"),
    workflow: fromBody("workflow_key"),
  },
  body: startInput,
  response: started,
  audit: {
    ...words,
    method: "Create",
    detail: bodyText("workflow_key"),
    body: "json",
    kept: ({ body }: RawRequest) => (Object.keys(body).length === 0 ? undefined : maskStart(body)),
  },
} as const;

/** Tasks of workflows: start, list, detail, cancel, retry, decisions (contract W 2.3 to 2.8, 2.12). */
export const taskRoutes = {
  startTask: defineRoute({
    method: "POST",
    path: "/openapi/workflows/custom/task",
    summary: "Start a task of a workflow",
    ...start,
  }),
  startTaskByOlderPath: defineRoute({
    method: "POST",
    path: console,
    summary: "Start a task of a workflow, by an older path",
    ...start,
  }),
  listTasksByOlderPath: defineRoute({
    method: "GET",
    path: console,
    summary: "List the tasks of a workflow, newest first, by an older path",
    tag,
    permission: mayReadTask,
    scope: { project: fromQuery("projectKey"), workflow: inQuery },
    query: taskPage.extend({ workflowKey: z.string() }),
    queryAliases: {
      ...{ projectKey: ["projectName"], workflowKey: ["workflow_name", "workflowName"] },
      ...{ pageNum: ["page", "page_num"], pageSize: ["page_size"] },
    },
    response: taskList,
  }),
  listTasks: defineRoute({
    method: "GET",
    path: "/openapi/workflows/custom/:workflowKey/tasks",
    summary: "List the tasks of a workflow, newest first",
    tag,
    permission: mayReadTask,
    scope: inPath,
    params: z.object({ workflowKey: z.string() }),
    query: taskPage,
    queryAliases: { pageNum: ["page"] },
    response: taskList,
  }),
  getTask: defineRoute({
    method: "GET",
    path: "/openapi/workflows/custom/task",
    summary: "Read a task with its stages and jobs",
    tag,
    permission: mayReadTask,
    scope: scopeOfTask,
    query: ofTask,
    queryAliases: ofTaskAliases,
    response: taskDetail,
  }),
  cancelTask: defineRoute({
    method: "DELETE",
    path: "/openapi/workflows/custom/task",
    summary: "Cancel a task",
    tag,
    permission: mayRun,
    scope: scopeOfTask,
    query: ofTask,
    queryAliases: ofTaskAliases,
    response: message,
    audit: { ...words, method: "Cancel", detail: keyInQuery, body: "none" },
  }),
  retryTask: defineRoute({
    method: "POST",
    path: "/openapi/workflows/custom/:workflowKey/task/:taskID(int)",
    summary: "Run a task again that failed, timed out, was cancelled or rejected",
    tag,
    permission: mayRun,
    freeze: "use-case",
    scope: inPath,
    params: taskPath,
    query: ofWorkflow,
    response: message,
    audit: { ...words, method: "Retry", detail: keyInPath, body: "json", kept: ({ params }) => Number(params.taskID) },
  }),
  remarkTask: defineRoute({
    method: "PUT",
    path: "/openapi/workflows/custom/:workflowKey/task/:taskID(int)",
    summary: "Set the remark of a task",
    tag,
    permission: mayRun,
    scope: inPath,
    params: taskPath,
    query: ofWorkflow,
    body: remarkInput,
    response: message,
    audit: { ...words, method: "Update", detail: keyInPath, body: "json" },
  }),
  getManualExecution: defineRoute({
    method: "GET",
    path: "/openapi/workflows/custom/:workflowKey/task/:taskID(int)/manual-exec",
    summary: "Read which stage a paused task waits for, and who may execute it",
    tag,
    permission: mayReadTask,
    scope: inPath,
    params: taskPath,
    query: ofWorkflow,
    response: manualExecState,
  }),
  executeStage: defineRoute({
    method: "POST",
    path: "/openapi/workflows/custom/:workflowKey/task/:taskID(int)/manual-exec",
    summary: "Execute the stage that a paused task waits for",
    tag,
    permission: approver,
    freeze: "use-case",
    scope: inPath,
    params: taskPath,
    query: ofWorkflow,
    body: executeInput,
    response: message,
    audit: { ...words, method: "Manual Execution", detail: keyInPath, body: "json" },
  }),
  approveTask: defineRoute({
    method: "POST",
    path: "/openapi/workflows/custom/task/approve",
    summary: "Approve or reject what a task waits for",
    tag,
    permission: approver,
    scope: { projectOf: "workflow", workflow: fromBody("workflow_key") },
    body: approveInput,
    response: message,
    audit: { ...words, method: "Approve", detail: bodyText("workflow_key"), body: "json" },
  }),
  approveJob: defineRoute({
    method: "POST",
    path: `${console}/approve`,
    summary: "Approve or reject an approval job",
    tag,
    permission: approver,
    scope: { projectOf: "workflow", workflow: fromBody("workflow_name") },
    body: consoleApproveInput,
    response: message,
    audit: { ...words, method: "Approve", detail: bodyText("workflow_name"), body: "json" },
  }),
  decideError: defineRoute({
    method: "POST",
    path: `${console}/handle/error`,
    summary: "Decide about the error of a job that waits for it",
    tag,
    permission: approver,
    scope: { projectOf: "workflow", workflow: fromBody("workflow_name") },
    body: errorInput,
    response: message,
    audit: { ...words, method: "Error Decision", detail: bodyText("workflow_name"), body: "json" },
  }),
  controlRollout: defineRoute({
    method: "POST",
    path: "/openapi/workflows/custom/task/rollout",
    summary: "Hold a step of a rollout, let it go on, or take the rollout back",
    tag,
    permission: mayStart,
    freeze: "use-case",
    scope: { projectOf: "workflow", workflow: fromBody("workflow_key") },
    body: rolloutInput,
    response: message,
    audit: {
      ...{ ...words, method: [...rolloutMethods.values()].join(", "), detail: bodyText("workflow_key"), body: "json" },
      methodOf: (request) => rolloutMethods.get(bodyText("action")(request)),
    },
  }),
  getConsoleTask: defineRoute({
    method: "GET",
    path: `${console}/workflow/:workflowName/task/:taskId(int)`,
    summary: "Read a task with its stages and jobs",
    tag,
    permission: mayReadTask,
    scope: consoleScope,
    params: consolePath,
    response: taskDetail,
  }),
  cancelConsoleTask: defineRoute({
    method: "DELETE",
    path: `${console}/workflow/:workflowName/task/:taskId(int)`,
    summary: "Cancel a task",
    tag,
    permission: mayRun,
    scope: consoleScope,
    params: consolePath,
    response: message,
    audit: { ...words, method: "Cancel", detail: consoleKey, body: "none" },
  }),
  retryConsoleTask: defineRoute({
    method: "POST",
    path: `${console}/retry/workflow/:workflowName/task/:taskId(int)`,
    summary: "Run a task again that failed, timed out, was cancelled or rejected",
    tag,
    permission: mayRun,
    freeze: "use-case",
    scope: consoleScope,
    params: consolePath,
    response: message,
    audit: { ...words, method: "Retry", detail: consoleKey, body: "json", kept: ({ params }) => Number(params.taskId) },
  }),
};
