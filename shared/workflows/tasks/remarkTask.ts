import { notFound } from "../../errors/apiError.ts";
import { retryLost } from "../../store/retryLost.ts";
import { table } from "../../store/theTable.ts";
import { mustHaveVersion } from "../../store/writes.ts";
import { changeTask } from "../records/changeTask.ts";
import { findTask, type TaskId } from "../records/findTasks.ts";

/** Writes a remark on a task in any status. @throws ApiError 404 */
export function remarkTask({ ownerId, taskId }: TaskId, remark: string): Promise<void> {
  return retryLost(async () => {
    const task = await findTask(ownerId, taskId);
    if (task === undefined) throw notFound(`task ${taskId}`);
    await table().write(changeTask(task, { remark }, mustHaveVersion(task.version)));
  });
}
