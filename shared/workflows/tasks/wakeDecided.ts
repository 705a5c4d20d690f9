import { completeTask } from "../../aws/states/stateMachines.ts";
import { jobOf, stageOf } from "../records/currentState.ts";
import type { WholeTask } from "../records/findTasks.ts";
import { isLetGo } from "../records/rules/hold.ts";
import { taskApprovalOutcome } from "../records/rules/taskApproval.ts";
import type { JobRecord, StageRecord } from "../records/task.ts";
import { goOnWhenDecided } from "./approveStage.ts";

/**
 * Wakes what was decided by a process that died before reporting it: approvals of stages and of jobs, errors of jobs,
 * and jobs that are no longer held.
 */
export async function wakeDecided(whole: WholeTask): Promise<void> {
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
