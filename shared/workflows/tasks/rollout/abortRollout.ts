import { ApiError } from "../../../errors/apiError.ts";
import type { TaskId } from "../../records/findTasks.ts";
import { isTaskFinal } from "../../records/rules/status.ts";
import { cancelTask } from "../cancelTask.ts";
import { findSteps, wrongState } from "./rolloutSteps.ts";

/**
 * Ends the task of a rollout, so that everything becomes what it was before: whatever ends a task takes back what it has not
 * released (decisions 12.1, 12.6). One that is cancelled stays so.
 * @throws ApiError 404, 400; 6164 when the task ended otherwise, or the rollout is complete
 */
export async function abortRollout(id: TaskId, jobName: string, revoker: string): Promise<void> {
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
