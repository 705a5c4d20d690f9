import { ApiError, notFound } from "../../../../shared/base/errors/apiError.ts";
import { findTask, findWholeTask, type WholeTask } from "../../../../shared/workflows/records/findTasks.ts";
import type { TaskOwner } from "../../../../shared/workflows/records/task.ts";
import { findTaskOwner, readTaskHead } from "../../../../shared/workflows/records/taskHeads.ts";

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

/** The owner and the project of a task. @throws ApiError 404 when no such workflow or no task of that number exists */
export async function requireTaskName(named: Named, taskId: number): Promise<TaskName> {
  const owner = await findOwner(named);
  if (owner === undefined || (await findTask(owner.id, taskId)) === undefined) throw await whyMissing(named, taskId);
  return { ownerId: owner.id, taskId, projectKey: owner.projectKey };
}

/** @throws ApiError 404 */
export async function requireTask(named: Named, taskId: number): Promise<WholeTask> {
  const owner = await findOwner(named);
  const whole = owner && (await findWholeTask(owner.id, taskId));
  if (whole === undefined) throw await whyMissing(named, taskId);
  return whole;
}

/** For lists beside a task, which need the number alone. @throws ApiError 404 when it was not given yet */
export async function requireNumber(named: Named, taskId: number): Promise<void> {
  const head = await readTaskHead(named.key);
  const isMeant = head !== undefined && head.owner.projectKey === named.projectKey;
  if (!isMeant || taskId < 1 || taskId > head.last) throw missing(named, taskId);
}

async function findOwner({ key, projectKey }: Named): Promise<TaskOwner | undefined> {
  const owner = await findTaskOwner(key);
  return projectKey === undefined || owner?.projectKey === projectKey ? owner : undefined;
}

/** Says so where the project did not keep the task. */
async function whyMissing(named: Named, taskId: number): Promise<ApiError> {
  const head = await readTaskHead(named.key);
  const isOwn = head !== undefined && (named.projectKey ?? head.owner.projectKey) === head.owner.projectKey;
  const wasKept = !isOwn || taskId < 1 || taskId >= (head.goneBelow ?? 0);
  return wasKept
    ? missing(named, taskId)
    : new ApiError(404, `task ${taskId} of workflow ${named.key} was removed by the retention of its project`);
}

function missing({ key }: Named, taskId: number): ApiError {
  return notFound(`task ${taskId} of workflow ${key}`);
}
