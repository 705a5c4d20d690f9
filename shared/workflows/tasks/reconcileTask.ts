import { type AskStatus, executionStatus, isLeftAlone } from "../../aws/states/stateMachines.ts";
import { config } from "../../settings/config.ts";
import { both, mustBeOneOf } from "../../store/conditions.ts";
import { table } from "../../store/table.ts";
import { tryWrite } from "../../store/tryWrite.ts";
import { changeTask } from "../records/changeTask.ts";
import { findWholeTask, type TaskId } from "../records/findTasks.ts";
import { isTaskFinal } from "../records/rules/status.ts";
import type { Task } from "../records/task.ts";
import { findHead } from "../records/taskHeads.ts";
import { finishCancel } from "./cancelTask.ts";
import { cancelOrphan } from "./cancelTasksOf.ts";
import { afterEnd } from "./concludeTask.ts";
import { resumeJobs } from "./runJob.ts";
import { startTaskExecution, taskExecutionName } from "./taskExecution.ts";
import { wakeDecided } from "./wakeDecided.ts";
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
