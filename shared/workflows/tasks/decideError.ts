import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { mustLack } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { onlyIf } from "../../base/store/writes.ts";
import { jobOf } from "../records/currentState.ts";
import { findWholeTask, type TaskId } from "../records/findTasks.ts";
import { changeJob } from "../records/records.ts";
import type { TaskActor } from "../records/task.ts";

export type ErrorDecision = "ignore" | "reject";

/**
 * Decides about a failed job that waits for a person (contract W 8.7): `ignore` makes it unstable, `reject` leaves it
 * as it ended. The first decision counts.
 * @throws ApiError 6169 when the job does not wait, or the caller may not decide
 */
export async function decideError(
  { ownerId, taskId }: TaskId,
  jobName: string,
  decision: ErrorDecision,
  by: TaskActor & { isAdministrator: boolean },
): Promise<void> {
  const whole = await findWholeTask(ownerId, taskId);
  const job = whole === undefined ? undefined : jobOf(whole, jobName);
  const plan = whole?.plan.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === jobName);
  if (whole === undefined || job?.status !== "wait_for_manual_error_handling")
    throw new ApiError(6169, `job ${jobName} does not wait for a decision about its error`);
  if (!by.isAdministrator && plan?.errorPolicy?.approverIds.includes(by.uid) !== true)
    throw new ApiError(6169, `user ${by.name} has no authority to decide about the error of ${jobName}`);
  const { isAdministrator: _isAdministrator, ...errorHandler } = by;
  const set = { errorHandler, errorDecision: decision };
  const write = changeJob(whole.task, job, { set }, ["wait_for_manual_error_handling"]);
  if (!(await tryWrite(table().write(onlyIf(mustLack("errorDecision"), write)))))
    throw new ApiError(6169, `the error of job ${jobName} has been decided already`);
  if (job.taskToken !== undefined) await completeTask(job.taskToken, {});
}
