import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import type { ErrorCode } from "../../../shared/domain/errors/catalogue.ts";
import { findTask, findWholeTask, type WholeTask } from "../../../shared/store/tasks/findTasks.ts";
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

/** Where the task stands; with `code` 404 whoever reads it finds out whether it exists. @throws ApiError `code` when there is no such workflow, or no task of that number */
export async function requireTaskName(
  { key, projectKey }: Named,
  taskId: number,
  code: ErrorCode = 404,
): Promise<TaskName> {
  const owner = await findTaskOwner(key);
  const isMeant = owner?.kind === "workflow" && (projectKey === undefined || owner.projectKey === projectKey);
  if (owner === undefined || !isMeant || (code !== 404 && (await findTask(owner.id, taskId)) === undefined))
    throw new ApiError(code, `task ${taskId} of workflow ${key} does not exist`);
  return { ownerId: owner.id, taskId, projectKey: owner.projectKey };
}

/** @throws ApiError 404 */
export async function requireTask(named: Named, taskId: number): Promise<WholeTask> {
  const { ownerId } = await requireTaskName(named, taskId);
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined) throw new ApiError(404, `task ${taskId} of workflow ${named.key} does not exist`);
  return whole;
}
