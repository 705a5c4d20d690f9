import { ApiError } from "../../base/errors/apiError.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { findWholeTask, type TaskId, type WholeTask } from "../records/findTasks.ts";
import { requeue } from "../records/queue.ts";
import { changeStage } from "../records/records.ts";
import type { TaskActor } from "../records/task.ts";
import { announceTask } from "./announce.ts";
import { dispatchNew } from "./dispatchTasks.ts";
import { stageRecord } from "./nextStep.ts";
import { requireUnfrozen } from "./start/requireUnfrozen.ts";

/** The stage at which a task is paused. @throws ApiError 400 when it is not paused */
export function pausedStage(whole: WholeTask): number {
  const index = whole.stages.find(({ status, retryNum }) => status === "pause" && retryNum === whole.task.retryNum);
  if (whole.task.status !== "pause" || index === undefined)
    throw new ApiError(
      400,
      `task ${whole.task.taskId} does not wait for a manual execution; it is ${whole.task.status}`,
    );
  return index.stage;
}

/** Whether a user may execute the stage: its executors, and administrators (contract W 2.12). */
export function mayExecute(whole: WholeTask, stage: number, { uid }: TaskActor, isAdministrator: boolean): boolean {
  return isAdministrator || whole.plan.stages[stage]?.manualExec?.executorIds.includes(uid) === true;
}

/** Who executes a stage. */
export interface Executor {
  by: TaskActor;
  isAdministrator: boolean;
  /** Why freezes do not count from here on, given by a user with that right. */
  overrideReason: string | undefined;
}

/**
 * Executes the stage at which a task is paused: it goes into the queue again and on with that stage (contract W 8.3).
 * @throws ApiError 404; 400 not paused, or at another stage, as when another user executed it at the same moment; 403
 * for others than the executors; 409 when the stage would change frozen production
 */
export async function executeStage({ ownerId, taskId }: TaskId, stageName: string, executor: Executor): Promise<void> {
  await retryOnConflict(async () => {
    const whole = await findWholeTask(ownerId, taskId);
    if (whole === undefined) throw new ApiError(404, `task ${taskId}`);
    await executeFound(whole, stageName, executor);
  });
}

/** The same for a task as it was read. @throws ConditionFailed when it has changed since */
export async function executeFound(
  whole: WholeTask,
  stageName: string,
  { by, isAdministrator, overrideReason }: Executor,
): Promise<void> {
  const stage = pausedStage(whole);
  const waiting = whole.plan.stages[stage]?.name ?? "";
  if (waiting !== stageName)
    throw new ApiError(400, `stage_name: the task is paused at stage ${waiting}, not at ${stageName}`);
  if (!mayExecute(whole, stage, by, isAdministrator))
    throw new ApiError(403, `user ${by.name} is not an executor of stage ${stageName}`);
  const reason = overrideReason ?? whole.task.overrideReason ?? "";
  await requireUnfrozen(whole.task.owner.projectKey, whole.plan.stages[stage]?.jobs ?? [], reason);
  const executed = changeStage(whole.task, stageRecord(whole, stage), { status: "", executedBy: by });
  const task = await requeue(whole.task, { overrideReason: reason }, "execute", [executed]);
  await announceTask({ ...whole, task }, "pause");
  await dispatchNew(task);
}
