import { newId, nowSeconds } from "../../shared/base/store/ids.ts";
import { createWorkflow, type WorkflowSource } from "../../shared/workflows/saved/store/workflows.ts";
import { passing } from "./passingApprovals.ts";
import { type CallOptions, type Slipway, startSlipway } from "./slipway.ts";
import { waitFor } from "./waitFor.ts";

/** A workflow that stands in the store, as if it had been created by the API. */
export async function makeWorkflow(projectKey: string, source: WorkflowSource & { name: string }): Promise<void> {
  const now = nowSeconds();
  await createWorkflow({
    ...{ workflowId: newId(), key: source.name, displayName: source.name, projectKey },
    source: { project: projectKey, ...source },
    ...{ createdBy: "admin", createdAt: now, updatedBy: "admin", updatedAt: now },
  });
}

/** A job of the engine alone, which passes at once. */
export const gate = (name: string) => ({ ...{ name, type: "approval" }, spec: passing });

/** A workflow of gates: so many in each of its stages, one after the other. */
export async function makeGates(
  projectKey: string,
  name: string,
  jobsOfStages: readonly number[],
  more: Partial<WorkflowSource> = {},
): Promise<void> {
  const stages = jobsOfStages.map((jobs, stage) => ({
    name: `stage-${stage}`,
    jobs: Array.from({ length: jobs }, (_, job) => gate(`gate-${stage}-${job}`)),
  }));
  await makeWorkflow(projectKey, { name, stages, ...more });
}

export interface ShownJob {
  name: string;
  display_name: string;
  origin_name: string;
  type: string;
  status: string;
  error: string;
  start_time?: number;
  end_time?: number;
  spec: Record<string, unknown>;
}

export interface ShownTask {
  task_id: number;
  status: string;
  task_revoker: string;
  error?: string;
  create_time: number;
  start_time: number;
  end_time?: number;
  stages: { name: string; status: string; start_time?: number; end_time?: number; jobs: ShownJob[] }[];
}

const endings = ["passed", "failed", "timeout", "cancelled", "reject"];

/** Tasks of one project through the API. */
export function tasksOf(slipway: Slipway, projectKey: string) {
  const start = async (workflow: string, jobs: readonly string[], more: object = {}, options: CallOptions = {}) => {
    const inputs = jobs.map((job_name) => ({ job_name, parameters: {} }));
    const body = { workflow_key: workflow, project_key: projectKey, inputs, ...more };
    return slipway.call<{ task_id: number }>("POST", "/openapi/workflows/custom/task", { ...options, body });
  };
  const read = async (workflow: string, taskId: number): Promise<ShownTask> => {
    const { json } = await slipway.call<ShownTask>(
      "GET",
      `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=${taskId}`,
    );
    return json;
  };
  const until = (
    workflow: string,
    taskId: number,
    what: string,
    seen: (task: ShownTask) => boolean,
    seconds?: number,
  ) => {
    const look = async () => {
      const task = await read(workflow, taskId);
      return seen(task) && task;
    };
    return waitFor(`task ${workflow} #${taskId} to be ${what}`, look, seconds);
  };
  return {
    start,
    started: async (workflow: string, jobs: readonly string[], more: object = {}): Promise<number> => {
      const { status, json } = await start(workflow, jobs, more);
      if (status !== 200) throw new Error(`start of ${workflow}: ${status} ${JSON.stringify(json)}`);
      return json.task_id;
    },
    read,
    until,
    end: (workflow: string, taskId: number, seconds?: number) =>
      until(workflow, taskId, "over", (task) => endings.includes(task.status) && task.end_time !== undefined, seconds),
    cancel: (workflow: string, taskId: number) =>
      slipway.call("DELETE", `/openapi/workflows/custom/task?workflowKey=${workflow}&taskId=${taskId}`),
    retry: (workflow: string, taskId: number) =>
      slipway.call("POST", `/openapi/workflows/custom/${workflow}/task/${taskId}?projectKey=${projectKey}`),
    approve: (workflow: string, taskId: number, stage: string, approve: boolean, token?: string) =>
      slipway.call("POST", "/openapi/workflows/custom/task/approve", {
        body: { workflow_key: workflow, task_id: taskId, stage_name: stage, approve },
        ...(token !== undefined && { token }),
      }),
  };
}

/** A Slipway with a YAML project `shop`, whose tasks are at hand. */
export async function startShop(options?: Parameters<typeof startSlipway>[0]) {
  const slipway = await startSlipway(options);
  const body = { project_name: "shop", project_key: "shop", project_type: "yaml" };
  const { status, text } = await slipway.call("POST", "/openapi/projects/project", { body });
  if (status !== 200) throw new Error(`the project was not created: ${status} ${text}`);
  return { slipway, tasks: tasksOf(slipway, "shop") };
}
