import { knownPrices } from "../../../shared/costs/store/prices.ts";
import { ApiError, notFound } from "../../../shared/errors/apiError.ts";
import type { Handlers } from "../../../shared/http/createApi.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { success } from "../../../shared/http/schemas.ts";
import { taskActor } from "../../../shared/http/taskActor.ts";
import { administersProject } from "../../../shared/identity/rules/grants.ts";
import { mustHaveVersion } from "../../../shared/store/conditions.ts";
import { retryOnConflict } from "../../../shared/store/retryOnConflict.ts";
import { table } from "../../../shared/store/table.ts";
import { changeTask } from "../../../shared/workflows/records/changeTask.ts";
import { findTask, type TaskId } from "../../../shared/workflows/records/findTasks.ts";
import { approveTask } from "../../../shared/workflows/tasks/approveTask.ts";
import { cancelTask } from "../../../shared/workflows/tasks/cancelTask.ts";
import { decideError } from "../../../shared/workflows/tasks/decideError.ts";
import { executeStage } from "../../../shared/workflows/tasks/executeStage.ts";
import { retryTask } from "../../../shared/workflows/tasks/retryTask.ts";
import { abortRollout } from "../../../shared/workflows/tasks/rollout/abortRollout.ts";
import { pauseRollout } from "../../../shared/workflows/tasks/rollout/pauseRollout.ts";
import { promoteRollout } from "../../../shared/workflows/tasks/rollout/promoteRollout.ts";
import { startWorkflow } from "../../../shared/workflows/tasks/startWorkflow.ts";
import { listWorkflowTasks } from "./listTasks.ts";
import { manualExecution } from "./manualExecution.ts";
import { requireTask, requireTaskName } from "./requireTask.ts";
import type { taskRoutes } from "./taskRoutes.ts";
import { toTask } from "./taskWire.ts";

/** Approvers and executors need no role in the project, but a token that is limited to other projects decides nothing. */
function mayDecideIn(projectKey: string, { grants }: Caller): boolean {
  const { projects } = grants.limits ?? {};
  return projects === undefined || projects.includes(projectKey);
}

/**
 * The task that a decision is about; a task that does not exist is refused like one that waits for nothing (contract W
 * 2.8).
 */
async function decidable(key: string, taskId: number, place: string, caller: Caller) {
  if (place === "") throw new ApiError(6169, "name what is decided about: a stage, or a job that waits for approval");
  const named = await requireTaskName({ key }, taskId).catch((error: unknown) => {
    throw error instanceof ApiError ? new ApiError(6169, "not found approval") : error;
  });
  if (!mayDecideIn(named.projectKey, caller)) throw new ApiError(6169, "not found approval");
  return named;
}

/** The task as its detail shows it, with what it costs. @throws ApiError 404 */
async function shown(named: { key: string }, taskId: number) {
  const [whole, prices] = await Promise.all([requireTask(named, taskId), knownPrices()]);
  return toTask(whole, prices);
}

type Tasks = Handlers<typeof taskRoutes>;

const startTask: Tasks["startTask"] = async ({ body, caller, overrideReason }) => {
  const { workflow_key, project_key, parameters, inputs, notify_inputs } = body;
  const given = { params: parameters ?? [], inputs: inputs ?? [], notifyInputs: notify_inputs ?? [] };
  const creator = taskActor(caller);
  const task_id = await startWorkflow(project_key, workflow_key, given, creator, undefined, { overrideReason });
  return { project_name: project_key, workflow_name: workflow_key, task_id };
};

export const taskHandlers: Tasks = {
  startTask,
  startTaskByOlderPath: startTask,
  listTasksByOlderPath: ({ query }) => listWorkflowTasks(query.workflowKey, query),
  listTasks: ({ params, query }) => listWorkflowTasks(params.workflowKey, query),
  getTask: async ({ query }) => shown({ key: query.workflowKey }, query.taskId),
  cancelTask: async ({ query, caller }) => {
    await cancelTask(await requireTaskName({ key: query.workflowKey }, query.taskId), caller.name);
    return success;
  },
  retryTask: async ({ params, query, caller, overrideReason }) => {
    const named = { key: params.workflowKey, projectKey: query.projectKey };
    await retryTask(await requireTaskName(named, params.taskID), { overrideReason, by: taskActor(caller) });
    return success;
  },
  remarkTask: async ({ params, query, body }) => {
    const named = { key: params.workflowKey, projectKey: query.projectKey };
    await remarkTask(await requireTaskName(named, params.taskID), body.remark);
    return success;
  },
  getManualExecution: async ({ params, query, caller }) => {
    const whole = await requireTask({ key: params.workflowKey, projectKey: query.projectKey }, params.taskID);
    return manualExecution(whole, taskActor(caller), administersProject(caller.grants, query.projectKey));
  },
  executeStage: async ({ params, query, body, caller, overrideReason }) => {
    if (!mayDecideIn(query.projectKey, caller))
      throw new ApiError(403, `the token is limited to other projects than ${query.projectKey}`);
    const named = await requireTaskName({ key: params.workflowKey, projectKey: query.projectKey }, params.taskID);
    const isAdministrator = administersProject(caller.grants, query.projectKey);
    await executeStage(named, body.stage_name, { by: taskActor(caller), isAdministrator, overrideReason });
    return success;
  },
  approveTask: async ({ body, caller }) => {
    const said = { approve: body.approve === true, comment: body.comment ?? "" };
    await approveTask(
      await decidable(body.workflow_key, body.task_id, body.stage_name, caller),
      body.stage_name,
      taskActor(caller),
      said,
    );
    return success;
  },
  approveJob: async ({ body, caller }) => {
    const said = { approve: body.approve === true, comment: body.comment ?? "" };
    await approveTask(
      await decidable(body.workflow_name, body.task_id, body.job_name, caller),
      body.job_name,
      taskActor(caller),
      said,
    );
    return success;
  },
  decideError: async ({ body, caller }) => {
    const named = await decidable(body.workflow_name, body.task_id, body.job_name, caller);
    const isAdministrator = administersProject(caller.grants, named.projectKey);
    await decideError(named, body.job_name, body.decision, { ...taskActor(caller), isAdministrator });
    return success;
  },
  controlRollout: async ({ body, caller, overrideReason }) => {
    const named = await requireTaskName({ key: body.workflow_key }, body.task_id);
    const isAdministrator = administersProject(caller.grants, named.projectKey);
    const by = taskActor(caller);
    if (body.action === "pause") await pauseRollout(named, body.job_name, by);
    else if (body.action === "abort") await abortRollout(named, body.job_name, by.name);
    else await promoteRollout(named, body.job_name, { by, isAdministrator, overrideReason });
    return success;
  },
  getConsoleTask: async ({ params }) => shown({ key: params.workflowName }, params.taskId),
  cancelConsoleTask: async ({ params, caller }) => {
    await cancelTask(await requireTaskName({ key: params.workflowName }, params.taskId), caller.name);
    return success;
  },
  retryConsoleTask: async ({ params, caller, overrideReason }) => {
    const task = await requireTaskName({ key: params.workflowName }, params.taskId);
    await retryTask(task, { overrideReason, by: taskActor(caller) });
    return success;
  },
};

/** Writes a remark on a task in any status. @throws ApiError 404 */
function remarkTask({ ownerId, taskId }: TaskId, remark: string): Promise<void> {
  return retryOnConflict(async () => {
    const task = await findTask(ownerId, taskId);
    if (task === undefined) throw notFound(`task ${taskId}`);
    await table().write(changeTask(task, { remark }, mustHaveVersion(task.version)));
  });
}
