import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import type { ErrorCode } from "../../../shared/domain/errors/catalogue.ts";
import { findTask, findWholeTask, type WholeTask } from "../../../shared/store/tasks/findTasks.ts";
import type { TaskOwner } from "../../../shared/store/tasks/task.ts";
import { findTaskOwner } from "../../../shared/store/tasks/taskHeads.ts";

/** How a request names the workflow; with the project it must belong to that. */
interface Named {
  key: string;
  projectKey?: string;
}

interface TaskName {
  ownerId: string;
  taskId: number;
  projectKey: string;
}

/** Where the task stands. @throws ApiError `code` when there is no such workflow, or no task of that number */
export async function requireTaskName(named: Named, taskId: number, code: ErrorCode = 404): Promise<TaskName> {
  const owner = await findOwner(named);
  if (owner === undefined || (await findTask(owner.id, taskId)) === undefined) throw missing(named, taskId, code);
  return { ownerId: owner.id, taskId, projectKey: owner.projectKey };
}

/** @throws ApiError 404 */
export async function requireTask(named: Named, taskId: number): Promise<WholeTask> {
  const owner = await findOwner(named);
  const whole = owner && (await findWholeTask(owner.id, taskId));
  if (whole === undefined) throw missing(named, taskId, 404);
  return whole;
}

async function findOwner({ key, projectKey }: Named): Promise<TaskOwner | undefined> {
  const owner = await findTaskOwner(key);
  const isMeant = owner?.kind === "workflow" && (projectKey === undefined || owner.projectKey === projectKey);
  return isMeant ? owner : undefined;
}

function missing({ key }: Named, taskId: number, code: ErrorCode): ApiError {
  return new ApiError(code, `task ${taskId} of workflow ${key} does not exist`);
}
