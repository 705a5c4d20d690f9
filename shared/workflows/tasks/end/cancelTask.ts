import { completeTask } from "../../../base/aws/states/stateMachines.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { both, mustBeOneOf } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import { changeTask } from "../../records/changeTask.ts";
import { findTask, findWholeTask } from "../../records/findTasks.ts";
import { publishTask } from "../../records/publishTask.ts";
import { cancelWaiting } from "../../records/queue.ts";
import { noJobs } from "../../records/rules/noJobs.ts";
import { isTaskFinal } from "../../records/rules/status.ts";
import type { Task } from "../../records/task.ts";
import { announceTask } from "../announce.ts";
import { afterEnd } from "./concludeTask.ts";

/**
 * Cancels a task (contract W 2.6): one that waits or is paused ends at once, one that runs ends its jobs first and is
 * `cancelled` from here on. A task that ended otherwise stays as it is.
 * @throws ApiError 6163 when it passed
 */
export async function cancelTask(
  { ownerId, taskId }: { ownerId: string; taskId: number },
  revoker: string,
): Promise<void> {
  const task = await retryOnConflict(async () => {
    const found = await findTask(ownerId, taskId);
    if (found === undefined || isTaskFinal(found.status)) return found;
    await writeCancel(found, revoker);
    return { ...found, status: "cancelled" as const };
  });
  if (task?.status === "passed") {
    throw new ApiError(6163, `task: ${task.owner.key}:${taskId} is passed, cannot cancel`);
  }
  if (task?.status === "cancelled") await finishCancel(task);
}

function writeCancel(task: Task, revoker: string): Promise<void> {
  if (task.status === "waiting") return cancelWaiting(task, { revoker, endTime: nowSeconds() });
  const endTime = task.holdsSlot ? {} : { endTime: nowSeconds() };
  const asRead = both(mustBeOneOf("status", [task.status]), mustBeOneOf("holdsSlot", [task.holdsSlot]));
  const status = "cancelled";
  return table().write(changeTask(task, { status, revoker, ...endTime }, asRead), publishTask({ ...task, status }));
}

/** What follows a cancel; may be repeated. Whatever waits is woken and finds that it is cancelled. */
export async function finishCancel(task: Task): Promise<void> {
  const whole = await findWholeTask(task.owner.id, task.taskId);
  if (whole === undefined || whole.task.status !== "cancelled") return;
  if (!whole.task.holdsSlot) return afterEnd(whole);
  await announceTask(whole, task.status);
  const tokens = [
    ...whole.jobs.flatMap(({ taskToken }) => taskToken ?? []),
    ...whole.stages.flatMap(({ taskToken }) => taskToken ?? []),
  ];
  await Promise.all(tokens.map((token) => completeTask(token, noJobs(0))));
}
