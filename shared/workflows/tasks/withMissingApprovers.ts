import { mustHaveVersion } from "../../base/store/conditions.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { onlyIf, type Write } from "../../base/store/writes.ts";
import { missingApprovers } from "../jobs/people.ts";
import { jobOf, stageOf } from "../records/currentState.ts";
import type { WholeTask } from "../records/findTasks.ts";
import { changeJob, changeStage } from "../records/records.ts";
import { type TaskApproval, taskApprovalOutcome } from "../records/rules/taskApproval.ts";

/**
 * The task, with those approvals failed that can no longer be decided because approvers were deleted while it waited
 * (decisions 19.1). A decision at the same moment comes first. May be repeated.
 */
export async function withMissingApprovers(whole: WholeTask): Promise<WholeTask> {
  const { task } = whole;
  const jobs = whole.jobs.map(async (job) => {
    if (jobOf(whole, job.name) !== job) return job;
    return unlessMissing(job, (approval) => changeJob(task, job, { set: { approval } }, ["wait_for_approval"]));
  });
  const stages = whole.stages.map(async (stage) => {
    if (stageOf(whole, stage.stage) === undefined) return stage;
    return unlessMissing(stage, (approval) => changeStage(task, stage, { approval, error: approval.error ?? "" }));
  });
  return { ...whole, jobs: await Promise.all(jobs), stages: await Promise.all(stages) };
}

/** @param failing the write that keeps why it failed */
async function unlessMissing<T extends { status: string; version: number; approval?: TaskApproval }>(
  waiting: T,
  failing: (approval: TaskApproval) => Write,
): Promise<T> {
  const { status, version, approval } = waiting;
  if (status !== "wait_for_approval" || approval === undefined || approval.vendor !== undefined) return waiting;
  if (taskApprovalOutcome(approval) !== undefined) return waiting;
  const error = await missingApprovers(approval);
  if (error === undefined) return waiting;
  const failed = { ...approval, error };
  const isFirst = await tryWrite(table().write(onlyIf(mustHaveVersion(version), failing(failed))));
  return isFirst ? { ...waiting, approval: failed, version: version + 1 } : waiting;
}
