import { noteTaskEnd } from "../../releaseplans/records/noteTaskEnd.ts";
import { nowSeconds } from "../../store/ids.ts";
import { table } from "../../store/table.ts";
import { tryWrite } from "../../store/tryWrite.ts";
import { tellFollowers } from "../../triggers/intake/tellFollowers.ts";
import { closeTask } from "../records/changeTask.ts";
import { stageStates } from "../records/currentState.ts";
import { findWholeTask, type WholeTask } from "../records/findTasks.ts";
import { releaseTask } from "../records/queue.ts";
import { nextStep as decide } from "../records/rules/nextStep.ts";
import { isTaskFinal } from "../records/rules/status.ts";
import { tellWaitingJobs } from "../records/tellWaitingJobs.ts";
import { announceTask } from "./announce.ts";
import { dispatchTasks } from "./dispatchTasks.ts";
import { endStage, type TaskRun } from "./nextStep.ts";
import { tellCallback } from "./tellCallback.ts";
import { traceTask } from "./traceTask.ts";

/**
 * Ends a run: derives the final status, frees the slots, then does what follows an end (contract W 8.10). Any step may
 * be repeated; what a crash interrupts is done by the repetition or by the reconciler.
 * @param error set when the machinery failed; the task is failed then
 */
export async function concludeTask(run: TaskRun, error = ""): Promise<void> {
  const whole = await findWholeTask(run.ownerId, run.taskId);
  if (whole === undefined || whole.task.attempt !== run.attempt) return;
  if (whole.task.holdsSlot && !(await end(whole, error))) return concludeTask(run, error);
  await afterEnd(whole);
}

/** @returns false when it was cancelled, or ended by another conclusion, meanwhile */
async function end(whole: WholeTask, error: string): Promise<boolean> {
  const { task } = whole;
  if (error !== "") await leaveRounds(whole);
  const step = decide(stageStates(whole), task.status);
  const derived = step.do === "end" ? step.status : "failed";
  const status = error === "" || task.status === "cancelled" ? derived : "failed";
  const ended = { status, error, endTime: nowSeconds(), startTime: task.startTime };
  if (!(await tryWrite(releaseTask(whole, ended)))) return false;
  whole.task = { ...task, ...ended, holdsSlot: false };
  return true;
}

/** A stage whose approval a chat service was asked for ends with the machinery: what is said there is not waited for. */
async function leaveRounds(whole: WholeTask): Promise<void> {
  for (const { stage, status, retryNum, approval } of whole.stages)
    if (status === "wait_for_approval" && retryNum === whole.task.retryNum && approval?.vendor !== undefined)
      await endStage(whole, stage, "failed");
}

/** What follows the end of a task, once: those who wait for it, the release plan it is of, notifications, workflows that follow, the next tasks. */
export async function afterEnd(whole: WholeTask): Promise<void> {
  const { task } = whole;
  if (!isTaskFinal(task.status)) return;
  if (!task.concluded) {
    traceTask(task);
    await announceTask(whole, "running", await withStagesEnded(whole));
    await tellWaitingJobs(task);
    await noteTaskEnd(task);
    await tellCallback(whole);
    await tellFollowers(whole);
  }
  await dispatchTasks(task.owner);
  await tryWrite(table().write(closeTask(task)));
}

/** A task that was cancelled while it was paused has no run that would have noted how its stage ended. */
async function withStagesEnded(whole: WholeTask): Promise<WholeTask> {
  const { owner, taskId, status } = whole.task;
  const { endings } = decide(stageStates(whole), status);
  if (endings.length === 0) return whole;
  for (const ending of endings) await endStage(whole, ending.stage, ending.status);
  return (await findWholeTask(owner.id, taskId)) ?? whole;
}
