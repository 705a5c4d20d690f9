import { completeTask } from "../../../base/aws/states/stateMachines.ts";
import { exists, mustHaveVersion } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { retryOnConflict } from "../../../base/store/retryOnConflict.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { onlyIf } from "../../../base/store/writes.ts";
import { changeTask } from "../../records/changeTask.ts";
import { stageOf } from "../../records/currentState.ts";
import { findJob, findTask, type TaskId } from "../../records/findTasks.ts";
import { publishTask } from "../../records/publishTask.ts";
import { changeJob } from "../../records/records.ts";
import { isLetGo } from "../../records/rules/hold.ts";
import { isTaskFinal } from "../../records/rules/status.ts";
import type { JobRecord, Task } from "../../records/task.ts";
import { type Executor, executeFound, pausedStage } from "../executeStage.ts";
import { requireUnfrozen } from "../start/requireUnfrozen.ts";
import { findSteps, type RolloutStep, type Steps, wrongState } from "./rolloutSteps.ts";

/**
 * Lets steps of a rollout continue: they are no longer held, and the stage that waits to be executed by hand for them
 * is executed (decisions 12.6). What was released before, or is at the same moment, stays so.
 * @throws ApiError 404, 400; 6164 when neither is so; 403 for others than the executors of the stage; 409 when a step would
 * begin to change frozen production
 */
export function promoteRollout(id: TaskId, jobName: string, promotion: Executor): Promise<void> {
  return retryOnConflict(() => promoteOnce(id, jobName, promotion));
}

async function promoteOnce(id: TaskId, jobName: string, promotion: Executor): Promise<void> {
  const steps = await findSteps(id, jobName);
  const { whole, named } = steps;
  const { task } = whole;
  if (isTaskFinal(task.status)) throw wrongState(`task ${task.taskId} is ${task.status}; there is nothing to promote`);
  const held = named.flatMap(({ record }) => (record?.hold === undefined ? [] : [record]));
  const waits = task.status === "pause" && pausedStage(whole) === named[0].stage;
  if (held.length === 0 && !waits && !named.some((step) => wentOn(steps, step)))
    throw wrongState(
      `job ${jobName} is ${named[0].record?.status || "not begun"}; neither is it held, nor does its stage wait to be executed`,
    );
  if (waits) await executeFound(whole, whole.plan.stages[named[0].stage]?.name ?? "", promotion);
  else if (held.length > 0) await requireMayBegin(steps, promotion);
  await Promise.all(held.map((record) => release(task, record)));
}

function wentOn({ whole }: Steps, { record, stage }: RolloutStep): boolean {
  return record?.promotedAt !== undefined || stageOf(whole, stage)?.executedBy !== undefined;
}

/** A freeze may have come while they were held before they began. */
async function requireMayBegin({ whole: { task }, named }: Steps, { overrideReason }: Executor): Promise<void> {
  const begin = named.filter(({ record }) => record?.status === "" || record?.stands === "before");
  const plans = begin.map(({ plan }) => plan);
  await requireUnfrozen(task.owner.projectKey, plans, overrideReason ?? task.overrideReason);
  if (overrideReason !== undefined) await noteReason(task, overrideReason);
}

function noteReason({ owner, taskId }: Task, overrideReason: string): Promise<void> {
  return retryOnConflict(async () => {
    const task = await findTask(owner.id, taskId);
    if (task === undefined || isTaskFinal(task.status)) return;
    await table().write(changeTask(task, { overrideReason }, mustHaveVersion(task.version)));
  });
}

/** Ends the hold of a job, and notifies the machine that waits for that. */
async function release(task: Task, { name, retryNum }: JobRecord): Promise<void> {
  const change = { set: { promotedAt: nowSeconds() }, unset: ["hold"] } as const;
  const write = changeJob(task, { name, retryNum }, change);
  await tryWrite(table().write(onlyIf(exists("hold"), write), publishTask(task)));
  // Its machine may have come to wait since it was read.
  const job = await findJob(task.owner.id, task.taskId, name);
  if (job?.taskToken !== undefined && isLetGo(job)) await completeTask(job.taskToken, {});
}
