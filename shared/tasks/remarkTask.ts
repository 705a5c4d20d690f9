import { notFound } from "../domain/errors/apiError.ts";
import { retryLost } from "../store/retryLost.ts";
import { changeTask } from "../store/tasks/changeTask.ts";
import { findTask, type TaskId } from "../store/tasks/findTasks.ts";
import { table } from "../store/theTable.ts";
import { mustHaveVersion } from "../store/writes.ts";

/** Writes a remark on a task in any status. @throws ApiError 404 */
export function remarkTask({ ownerId, taskId }: TaskId, remark: string): Promise<void> {
  return retryLost(async () => {
    const task = await findTask(ownerId, taskId);
    if (task === undefined) throw notFound(`task ${taskId}`);
    await table().write(changeTask(task, { remark }, mustHaveVersion(task.version)));
  });
}
