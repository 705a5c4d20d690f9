import type * as z from "zod";
import { administersProject } from "../../../../shared/access/identity/rules/grants.ts";
import { ApiError, notFound } from "../../../../shared/base/errors/apiError.ts";
import { mustHaveVersion } from "../../../../shared/base/store/conditions.ts";
import { retryOnConflict } from "../../../../shared/base/store/retryOnConflict.ts";
import { table } from "../../../../shared/base/store/table.ts";
import type { Handlers } from "../../../../shared/http/createApi.ts";
import type { Caller } from "../../../../shared/http/exchange.ts";
import { success } from "../../../../shared/http/schemas.ts";
import { taskActor } from "../../../../shared/http/taskActor.ts";
import { knownPrices } from "../../../../shared/reports/costs/store/prices.ts";
import type { ApprovalUser } from "../../../../shared/workflows/definition/definition.ts";
import { changeTask } from "../../../../shared/workflows/records/changeTask.ts";
import { findTask, pageOfTasks, type TaskId, type WholeTask } from "../../../../shared/workflows/records/findTasks.ts";
import { isTaskFinal } from "../../../../shared/workflows/records/rules/status.ts";
import type { TaskActor } from "../../../../shared/workflows/records/task.ts";
import { findHead } from "../../../../shared/workflows/records/taskHeads.ts";
import { approveTask } from "../../../../shared/workflows/tasks/approveTask.ts";
import { decideError } from "../../../../shared/workflows/tasks/decideError.ts";
import { cancelTask } from "../../../../shared/workflows/tasks/end/cancelTask.ts";
import { executeStage, mayExecute, pausedStage } from "../../../../shared/workflows/tasks/executeStage.ts";
import { pauseRollout } from "../../../../shared/workflows/tasks/rollout/pauseRollout.ts";
import { promoteRollout } from "../../../../shared/workflows/tasks/rollout/promoteRollout.ts";
import { findSteps, wrongState } from "../../../../shared/workflows/tasks/rollout/rolloutSteps.ts";
import { retryTask } from "../../../../shared/workflows/tasks/start/retryTask.ts";
import { startWorkflow } from "../../../../shared/workflows/tasks/start/startWorkflow.ts";
import { requireTask, requireTaskName } from "./requireTask.ts";
import type { taskRoutes } from "./taskRoutes.ts";
import type { manualExecState, taskList, taskPage } from "./taskSchemas.ts";
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

/** A page of a workflow's tasks, found by their numbers: any page costs the same. @throws ApiError 404 */
async function listWorkflowTasks(
  key: string,
  { projectKey, pageNum, pageSize }: z.output<typeof taskPage>,
): Promise<z.input<typeof taskList>> {
  const head = await findHead(key);
  if (head?.owner.projectKey !== projectKey) throw notFound(`workflow ${key}`);
  const { total, tasks } = await pageOfTasks(head, pageNum, pageSize);
  const workflow = { workflow_key: key, workflow_name: head.owner.name, project_key: projectKey };
  return {
    total,
    workflow_tasks: tasks.map(({ taskId, createTime, startTime, endTime, creator, status }) => ({
      ...workflow,
      task_id: taskId,
      create_time: createTime,
      task_creator: creator,
      start_time: startTime,
      end_time: endTime,
      status,
    })),
  };
}

/** Which stage waits to be executed, and by whom (contract W 2.12). @throws ApiError 400 when none does */
function manualExecution(
  whole: WholeTask,
  caller: TaskActor,
  isAdministrator: boolean,
): z.input<typeof manualExecState> {
  const { task, plan } = whole;
  const stage = pausedStage(whole);
  const stated = plan.stages[stage]?.manualExec?.stated.manual_exec_users;
  const users = (Array.isArray(stated) ? stated : []) as ApprovalUser[];
  return {
    project_key: task.owner.projectKey,
    workflow_key: task.owner.key,
    task_id: task.taskId,
    status: task.status,
    stage_name: plan.stages[stage]?.name ?? "",
    can_execute: mayExecute(whole, stage, caller, isAdministrator),
    executors: users.map(({ type, user_id, user_name, group_id, group_name }) => ({
      ...{ type: type || "user", user_id: user_id ?? "", user_name: user_name ?? "" },
      ...{ group_id: group_id ?? "", group_name: group_name ?? "" },
    })),
  };
}

/**
 * Ends the task of a rollout, so that everything becomes what it was before: whatever ends a task takes back what it has not
 * released (decisions 12.1, 12.6). One that is cancelled stays so.
 * @throws ApiError 404, 400; 6164 when the task ended otherwise, or the rollout is complete
 */
async function abortRollout(id: TaskId, jobName: string, revoker: string): Promise<void> {
  const { whole, last } = await findSteps(id, jobName);
  const { taskId, status } = whole.task;
  if (isTaskFinal(status) && status !== "cancelled")
    throw wrongState(`task ${taskId} is ${status}; there is nothing to abort`);
  if (last.every(({ record }) => record?.status === "passed"))
    throw wrongState(
      `the rollout of job ${jobName} is complete; what it rolled out stays until something else is deployed`,
    );
  await cancelTask(id, revoker).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 6163 ? wrongState(error.description) : error;
  });
}
