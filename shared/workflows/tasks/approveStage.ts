import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { stageStates } from "../records/currentState.ts";
import { findWholeTask, type WholeTask } from "../records/findTasks.ts";
import { nextStep as decide } from "../records/rules/nextStep.ts";
import { noJobs } from "../records/rules/noJobs.ts";
import { type Step, stageRecord, startStage, type TaskRun, writeStage } from "./nextStep.ts";

/** Keeps the token of a stage's approval for the decision; one that is decided, or cancelled, continues at once. */
export async function awaitStageApproval({
  ownerId,
  taskId,
  stage,
  taskToken,
}: TaskRun & { stage: number; taskToken: string }): Promise<void> {
  const before = await findWholeTask(ownerId, taskId);
  if (before === undefined) return;
  await writeStage(before, stage, { taskToken });
  await goOnWhenDecided(ownerId, taskId, stage);
}

/** Lets the state machine continue when the approval of a stage is decided, or the task cancelled. */
export async function goOnWhenDecided(ownerId: string, taskId: number, stage: number): Promise<void> {
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined) return;
  const { taskToken } = stageRecord(whole, stage);
  const step = await stepAfter(whole, stage);
  if (taskToken !== undefined && step !== undefined) await completeTask(taskToken, step);
}

/** The jobs of the stage when it is approved, none when it is not; undefined while it is open. */
async function stepAfter(whole: WholeTask, stage: number): Promise<Step | undefined> {
  const step = decide(stageStates(whole), whole.task.status);
  const none: Step = noJobs(stage);
  if (step.do === "approve" && step.stage === stage) return undefined;
  if (step.do !== "jobs" || step.stage !== stage) return none;
  return { ...none, ...(await startStage(whole, step)) };
}
