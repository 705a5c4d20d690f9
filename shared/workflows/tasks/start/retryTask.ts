import { joinLimits } from "../../../access/identity/rules/grants.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import { enableReconciler } from "../../../base/reconciling/enableReconciler.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import type { Write } from "../../../base/store/writes.ts";
import { traceparentHere } from "../../../base/tracing/traceparent.ts";
import { findWholeTask, type TaskId, type WholeTask } from "../../records/findTasks.ts";
import { requeue } from "../../records/queue.ts";
import { taskStatusesAccepting } from "../../records/rules/status.ts";
import type { Task, TaskActor } from "../../records/task.ts";
import { announceTask } from "../announce.ts";
import { dispatchNew } from "../dispatchTasks.ts";
import { isLargePlan } from "./largeTask.ts";
import { planRun } from "./planRun.ts";

/**
 * Runs a task again under its number (contract W 2.7, 8.8): what passed, was skipped or is unstable is kept with its
 * outputs, the rest is planned again and starts over.
 * @param options.overrideReason why freezes do not count for this run, given by a user with that right
 * @param options.marking writes that go with it
 * @param options.creator its creator from here on; undefined: the same as before
 * @param options.by the user who retries; the limits of the token that is used hold from here on (decisions 17.7)
 * @throws ApiError 404; 6164 in a status that cannot be retried, or while a cancelled run still ends its jobs; 409 for
 * what would change frozen production
 */
export async function retryTask(
  { ownerId, taskId }: TaskId,
  {
    overrideReason,
    marking = [],
    creator,
    by,
  }: {
    overrideReason?: string | undefined;
    marking?: readonly Write[];
    creator?: TaskActor;
    by?: TaskActor;
  } = {},
): Promise<void> {
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined) throw new ApiError(404, `task ${taskId}`);
  const task = { ...whole.task, creator: creator ?? retriedBy(whole.task.creator, by) };
  if (!taskStatusesAccepting("retry").includes(task.status)) {
    throw new ApiError(
      6164,
      `a task that is ${task.status} cannot be retried; only one that failed, timed out, was cancelled or rejected`,
    );
  }
  if (task.holdsSlot)
    throw new ApiError(6164, "the cancelled task is still ending its jobs; retry it when it has ended");
  const isLarge = whole.task.unplanned === true || isLargePlan(whole.plan);
  const planned = isLarge ? [] : await planAgain(whole, task, overrideReason);
  const traceparent = traceparentHere(`retry ${task.owner.kind}`);
  const set = {
    retryNum: task.retryNum + 1,
    startTime: nowSeconds(),
    endTime: 0,
    error: "",
    creator: task.creator,
    revoker: task.creator.name,
    overrideReason: overrideReason ?? "",
    ...(isLarge && { unplanned: true }),
    ...(traceparent !== undefined && { traceparent }),
  };
  await enableReconciler();
  const queued = await requeue(task, set, "retry", [...planned, ...marking]);
  await announceTask({ task: queued }, task.status);
  await dispatchNew(queued);
}

/** The creator within the limits of who retries. Only the creator lifts limits: others would gain the creator's rights. */
function retriedBy({ limits: before, ...creator }: TaskActor, by: TaskActor | undefined): TaskActor {
  const limits = by?.uid === creator.uid ? by.limits : joinLimits(before, by?.limits);
  return { ...creator, ...(limits && { limits }) };
}

/** Plans the next run of a task. @returns the writes that keep it @throws ApiError as `planRun` */
function planAgain(whole: WholeTask, task: Task, overrideReason: string | undefined): Promise<Write[]> {
  return planRun({ ...whole, task: { ...task, retryNum: task.retryNum + 1, overrideReason: overrideReason ?? "" } });
}
