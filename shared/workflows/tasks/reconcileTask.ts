import { type AskStatus, completeTask, executionStatus, isLeftAlone } from "../../base/aws/states/stateMachines.ts";
import { config } from "../../base/settings/config.ts";
import { both, mustBeOneOf } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { changeTask } from "../records/changeTask.ts";
import { jobOf, stageOf } from "../records/currentState.ts";
import { findWholeTask, type TaskId, type WholeTask } from "../records/findTasks.ts";
import { isLetGo } from "../records/rules/hold.ts";
import { isTaskFinal } from "../records/rules/status.ts";
import { taskApprovalOutcome } from "../records/rules/taskApproval.ts";
import type { JobRecord, StageRecord, Task } from "../records/task.ts";
import { findHead } from "../records/taskHeads.ts";
import { goOnWhenDecided } from "./approveStage.ts";
import { finishCancel } from "./end/cancelTask.ts";
import { cancelOrphan } from "./end/cancelTasksOf.ts";
import { afterEnd } from "./end/concludeTask.ts";
import { resumeJobs } from "./runJob.ts";
import { startTaskExecution, taskExecutionName } from "./taskExecution.ts";
import { withMissingApprovers } from "./withMissingApprovers.ts";

/**
 * Continues a task that its request, its execution or its watcher left behind; everything it does may be done twice.
 * @param ask given by a caller that looks at many tasks
 */
export async function reconcileTask({ ownerId, taskId }: TaskId, ask: AskStatus = executionStatus): Promise<void> {
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined || whole.task.concluded) return;
  const { task } = whole;
  if (task.status === "waiting") return;
  if (!isTaskFinal(task.status) && !(await hasOwner(task))) return cancelOrphan({ ownerId, taskId });
  if (task.status === "pause") return;
  if (!task.holdsSlot) return afterEnd(whole);
  await ensureExecution(task, ask);
  if (task.status === "cancelled") await finishCancel(task);
  else await wakeDecided(await withMissingApprovers(whole));
  await resumeJobs(whole, ask);
}

/** The process that deleted the owner may have died before it cancelled the tasks. */
async function hasOwner({ owner }: Task): Promise<boolean> {
  return (await findHead(owner.key))?.ownerId === owner.id;
}

/** Starts the execution of a task that has none, and another one in place of one that died. */
async function ensureExecution(task: Task, ask: AskStatus): Promise<void> {
  const status = await ask(config().SLIPWAY_WORKFLOW_TASK_ARN, taskExecutionName(task));
  if (isLeftAlone(status)) return;
  if (status === undefined) return startTaskExecution(task);
  const next = { ...task, attempt: task.attempt + 1 };
  const own = both(mustBeOneOf("attempt", [task.attempt]), mustBeOneOf("holdsSlot", [true]));
  if (await tryWrite(table().write(changeTask(task, { attempt: next.attempt }, own)))) await startTaskExecution(next);
}

/**
 * Wakes what was decided by a process that died before reporting it: approvals of stages and of jobs, errors of jobs,
 * and jobs that are no longer held.
 */
async function wakeDecided(whole: WholeTask): Promise<void> {
  const { owner, taskId } = whole.task;
  const jobs = whole.jobs.filter((job) => jobOf(whole, job.name) === job);
  for (const stage of whole.stages) {
    const hasBegun = jobs.some((job) => job.stage === stage.stage && job.attempt > 0);
    if (stageOf(whole, stage.stage) !== undefined && isDecidedStage(stage) && !hasBegun)
      await goOnWhenDecided(owner.id, taskId, stage.stage);
  }
  const tokens = jobs.flatMap((job) => (isDecided(job) ? (job.taskToken ?? []) : []));
  await Promise.all(tokens.map((token) => completeTask(token, {})));
}

/** Decided either way, and not over. */
function isDecidedStage({ status, approval }: StageRecord): boolean {
  const isOpen = status === "wait_for_approval" || status === "running";
  return isOpen && approval !== undefined && taskApprovalOutcome(approval) !== undefined;
}

function isDecided(job: JobRecord): boolean {
  const { status, approval, errorDecision } = job;
  if (isLetGo(job)) return true;
  if (status === "wait_for_manual_error_handling") return errorDecision !== undefined;
  return status === "wait_for_approval" && approval !== undefined && taskApprovalOutcome(approval) !== undefined;
}
