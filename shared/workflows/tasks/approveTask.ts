import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { mustHaveVersion } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { retryOnConflict } from "../../base/store/retryOnConflict.ts";
import { table } from "../../base/store/table.ts";
import { onlyIf } from "../../base/store/writes.ts";
import { vendorNames } from "../../integrations/approvals/rules/vendorApproval.ts";
import { jobOf, stageOf } from "../records/currentState.ts";
import { findWholeTask, type TaskId, type WholeTask } from "../records/findTasks.ts";
import { changeJob, changeStage } from "../records/records.ts";
import { type Approval, approvalOutcome, decided } from "../records/rules/approval.ts";
import type { TaskApproval } from "../records/rules/taskApproval.ts";
import type { JobRecord, StageRecord, TaskActor } from "../records/task.ts";
import { goOnWhenDecided } from "./approveStage.ts";

/** An approval that waits: of a job, or of a stage. */
type Open =
  | { job: JobRecord; version: number; approval: TaskApproval }
  | { stage: StageRecord; version: number; approval: TaskApproval };

export interface Said {
  approve: boolean;
  comment: string;
}

/**
 * Takes one approver's decision (contract W 2.8, 8.6). Two at the same moment both count; each approver decides once.
 * @param place the job task's name, the job's name, or the stage's
 * @throws ApiError 6169 when nothing waits there, the caller may not decide or has decided, or a chat service is asked
 */
export async function approveTask(
  { ownerId, taskId }: TaskId,
  place: string,
  by: TaskActor,
  said: Said,
): Promise<void> {
  const open = await retryOnConflict(async () => {
    const whole = await findWholeTask(ownerId, taskId);
    const found = whole === undefined ? undefined : findOpen(whole, place, by);
    if (whole === undefined || found === undefined) throw new ApiError(6169, "not found approval");
    const { vendor } = found.approval;
    if (vendor !== undefined)
      throw new ApiError(6169, `the approval is decided in ${vendorNames[vendor.question.type]}, not by this call`);
    const approval = decided(found.approval, by, { ...said, at: nowSeconds() });
    if (typeof approval === "string") throw new ApiError(6169, approval);
    await write(whole, found, approval);
    return { ...found, approval };
  });
  if ("stage" in open) return goOnWhenDecided(ownerId, taskId, open.stage.stage);
  if (approvalOutcome(open.approval) !== undefined && open.job.taskToken !== undefined)
    await completeTask(open.job.taskToken, {});
}

function write({ task }: WholeTask, open: Open, approval: Approval): Promise<void> {
  const unchanged = mustHaveVersion(open.version);
  if ("stage" in open) {
    const update = changeStage(task, open.stage, { approval });
    return table().write(onlyIf(unchanged, update));
  }
  const update = changeJob(task, open.job, { set: { approval } }, ["wait_for_approval"]);
  return table().write(onlyIf(unchanged, update));
}

/** Job task name before job name before stage name; of several in a stage the first that the caller has not decided. */
function findOpen(whole: WholeTask, place: string, { uid }: TaskActor): Open | undefined {
  const waiting = whole.jobs.filter((job) => job.status === "wait_for_approval" && jobOf(whole, job.name) === job);
  const plans = whole.plan.stages.flatMap((stage) => stage.jobs.map((job) => ({ stage: stage.name, job })));
  const planOf = (name: string) => plans.find(({ job }) => job.name === name);
  const found =
    waiting.filter(({ name }) => name === place)[0] ??
    undecided(
      waiting.filter(({ name }) => planOf(name)?.job.originName === place),
      uid,
    ) ??
    undecided(
      waiting.filter(({ name }) => planOf(name)?.stage === place),
      uid,
    );
  if (found?.approval !== undefined) return { job: found, version: found.version, approval: found.approval };
  const index = whole.plan.stages.findIndex(({ name }) => name === place);
  const stage = stageOf(whole, index);
  if (stage?.status !== "wait_for_approval" || stage.approval === undefined) return undefined;
  const version = whole.stages.find((one) => one.stage === index)?.version ?? 0;
  return { stage, version, approval: stage.approval };
}

function undecided<T extends JobRecord>(jobs: readonly T[], uid: string): T | undefined {
  const mine = jobs.find(({ approval }) =>
    approval?.approvers.some(({ userId, decision }) => userId === uid && decision === ""),
  );
  return mine ?? jobs[0];
}
