import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import type { ErrorCode } from "../../../shared/domain/errors/catalogue.ts";
import { findWholeTask, type WholeTask } from "../../../shared/store/tasks/findTasks.ts";
import { findHead } from "../../../shared/store/tasks/taskHeads.ts";

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
export async function requireTaskName(
  { key, projectKey }: Named,
  taskId: number,
  code: ErrorCode = 404,
): Promise<TaskName> {
  const head = await findHead(key);
  const isMeant = head?.owner.kind === "workflow" && (projectKey === undefined || head.owner.projectKey === projectKey);
  if (head === undefined || !isMeant || taskId < 1 || taskId > head.last)
    throw new ApiError(code, `task ${taskId} of workflow ${key} does not exist`);
  return { ownerId: head.ownerId, taskId, projectKey: head.owner.projectKey };
}

/** @throws ApiError 404 */
export async function requireTask(named: Named, taskId: number): Promise<WholeTask> {
  const { ownerId } = await requireTaskName(named, taskId);
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined) throw new ApiError(404, `task ${taskId} of workflow ${named.key} does not exist`);
  return whole;
}
