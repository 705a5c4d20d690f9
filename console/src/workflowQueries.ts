import { type components, hasEnded, type RolloutAction, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { jobsInterval, toldInterval } from "./liveChanges.ts";
import { mayOne, rightsOf } from "./queries.ts";
import { slipway } from "./session.ts";

export type Task = components["schemas"]["WorkflowTask"];
export type Stage = Task["stages"][number];
export type Job = Stage["jobs"][number];
export type Approval = components["schemas"]["ShownStageApproval"];

export const runsOnPage = 20;

export const workflowsQuery = (project: string) =>
  queryOptions({
    queryKey: ["workflows", project],
    queryFn: async () =>
      (await taken(slipway().GET("/openapi/workflows", { params: { query: { projectKey: project } } }))).workflows,
  });

export const workflowQuery = (project: string, workflow: string) =>
  queryOptions({
    queryKey: ["workflow", project, workflow],
    queryFn: () =>
      taken(
        slipway().GET("/openapi/workflows/custom/{workflowKey}/detail", {
          params: { path: { workflowKey: workflow }, query: { projectKey: project } },
        }),
      ),
  });

/** @param page from 1, the newest runs first */
export const runsQuery = (project: string, workflow: string, page: number) =>
  queryOptions({
    queryKey: ["runs", project, workflow, page],
    queryFn: () =>
      taken(
        slipway().GET("/openapi/workflows/custom/{workflowKey}/tasks", {
          params: {
            path: { workflowKey: workflow },
            query: { projectKey: project, pageNum: String(page), pageSize: String(runsOnPage) },
          },
        }),
      ),
    refetchInterval: toldInterval,
  });

export const taskQuery = (workflow: string, task: string) =>
  queryOptions({
    queryKey: ["task", workflow, task],
    queryFn: () =>
      taken(
        slipway().GET("/openapi/workflows/custom/task", {
          params: { query: { workflowKey: workflow, taskId: task } },
        }),
      ),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && hasEnded(data) ? false : jobsInterval(workflow, task),
  });

/** Whether the caller may start, cancel and retry runs of a workflow. */
export const mayRunQuery = (project: string, workflow: string) =>
  queryOptions({
    queryKey: ["may run", project, workflow],
    queryFn: async () => {
      const rights = await rightsOf(project);
      return mayOne(rights, rights.workflow_verbs_map[workflow], "run_workflow");
    },
  });

/** @returns the number of the run */
export async function startRun(
  project: string,
  workflow: string,
  parameters: { name: string; value: string }[],
  jobs: string[],
): Promise<number> {
  const inputs = jobs.map((job_name) => ({ job_name }));
  const body = { workflow_key: workflow, project_key: project, parameters, inputs };
  return (await taken(slipway().POST("/openapi/workflows/custom/task", { body }))).task_id;
}

/** @param waiting name of the stage or of the job that waits */
export function decide({ workflow_key, task_id }: Task, waiting: string, approve: boolean, comment: string) {
  const body = { workflow_key, task_id, stage_name: waiting, approve, comment };
  return taken(slipway().POST("/openapi/workflows/custom/task/approve", { body }));
}

export function decideOnFailure({ workflow_key, task_id }: Task, job_name: string, decision: "ignore" | "reject") {
  const body = { workflow_name: workflow_key, task_id, job_name, decision };
  return taken(slipway().POST("/api/aslan/workflow/v4/workflowtask/handle/error", { body }));
}

export function controlRollout({ workflow_key, task_id }: Task, job_name: string, action: RolloutAction) {
  const body = { workflow_key, task_id, job_name, action };
  return taken(slipway().POST("/openapi/workflows/custom/task/rollout", { body }));
}

const executionParams = ({ workflow_key, task_id, project_key }: Task) => ({
  path: { workflowKey: workflow_key, taskID: String(task_id) },
  query: { projectKey: project_key },
});

/** Who may execute the stage that a paused task waits for. */
export const executionQuery = (task: Task, stage: string) =>
  queryOptions({
    queryKey: ["execution", task.workflow_key, task.task_id, stage],
    queryFn: () =>
      taken(
        slipway().GET("/openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec", {
          params: executionParams(task),
        }),
      ),
  });

export function executeStage(task: Task, stage_name: string) {
  const params = executionParams(task);
  return taken(
    slipway().POST("/openapi/workflows/custom/{workflowKey}/task/{taskID}/manual-exec", {
      params,
      body: { stage_name },
    }),
  );
}

export function cancelRun({ workflow_key, task_id }: Task) {
  const query = { workflowKey: workflow_key, taskId: String(task_id) };
  return taken(slipway().DELETE("/openapi/workflows/custom/task", { params: { query } }));
}

export function retryRun({ workflow_key, task_id, project_key }: Task) {
  const path = { workflowKey: workflow_key, taskID: String(task_id) };
  const params = { path, query: { projectKey: project_key } };
  return taken(slipway().POST("/openapi/workflows/custom/{workflowKey}/task/{taskID}", { params }));
}
