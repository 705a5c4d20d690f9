import { config } from "../../../base/settings/config.ts";
import { mustLack } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import { onlyIf } from "../../../base/store/writes.ts";
import { findJob, type TaskId } from "../../records/findTasks.ts";
import { publishTask } from "../../records/publishTask.ts";
import { changeJob, startJobRecords } from "../../records/records.ts";
import { isJobFinal, isTaskFinal, type JobStatus } from "../../records/rules/status.ts";
import type { Hold, Task, TaskActor } from "../../records/task.ts";
import { newJob } from "../nextStep.ts";
import { findSteps, type RolloutStep, wrongState } from "./rolloutSteps.ts";

/**
 * Holds steps of a rollout: one that has not started does not start, and one that runs does its work, and nothing
 * follows it (decisions 12.6). A step that is held already keeps the user who held it.
 * @throws ApiError 404, 400; 6164 when the task or every step has ended
 */
export async function pauseRollout(id: TaskId, jobName: string, by: TaskActor): Promise<void> {
  const { whole, named } = await findSteps(id, jobName);
  const { task } = whole;
  if (isTaskFinal(task.status)) throw wrongState(`task ${task.taskId} is ${task.status}; there is nothing to pause`);
  const since = nowSeconds();
  const hold: Hold = { by, since, until: since + config().SLIPWAY_DECISION_SECONDS };
  const held = await Promise.all(named.map((step) => holdStep(task, step, hold)));
  if (held.includes(true)) return;
  const now = await findJob(id.ownerId, id.taskId, named[0].plan.name);
  throw wrongState(`job ${jobName} is ${now?.status || "over"}; pause a step that is not over`);
}

const holdable: readonly JobStatus[] = ["", "prepare", "running"];

/** @returns false when it has ended, or waits for a decision about its error */
async function holdStep(task: Task, { plan: { name }, stage, record }: RolloutStep, hold: Hold): Promise<boolean> {
  const { owner, taskId, retryNum } = task;
  // Its stage takes the record as it is.
  if (record === undefined) await startJobRecords(task, [newJob(name, stage, retryNum)]);
  // It may be released at the same moment.
  return retryOnConflict(async () => {
    const now = await findJob(owner.id, taskId, name);
    if (now?.retryNum !== retryNum || isJobFinal(now.status)) return false;
    if (now.hold !== undefined) return true;
    if (!holdable.includes(now.status)) return false;
    const write = changeJob(task, now, { set: { hold } }, holdable);
    await table().write(onlyIf(mustLack("hold"), write), publishTask(task));
    return true;
  });
}
