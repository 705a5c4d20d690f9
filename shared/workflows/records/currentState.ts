import { nowSeconds } from "../../base/store/ids.ts";
import type { WholeTask } from "./findTasks.ts";
import type { StageState } from "./rules/nextStep.ts";
import { isKeptByRetry } from "./rules/status.ts";
import { taskApprovalOutcome } from "./rules/taskApproval.ts";
import type { JobPlan, JobRecord, StageRecord, Task, TaskPlan } from "./task.ts";

/** Whether a record belongs to the run, or to one before that a retry kept (contract W 8.8). */
export function counts(record: Pick<JobRecord | StageRecord, "retryNum" | "status">, { retryNum }: Task): boolean {
  return record.retryNum === retryNum || isKeptByRetry(record.status);
}

/** The record of a job as far as it counts in the current run. */
export function jobOf({ task, jobs }: WholeTask, name: string): JobRecord | undefined {
  return jobs.find((job) => job.name === name && counts(job, task));
}

/** What a job was planned to do. */
export function planOf(plan: TaskPlan, { stage, name }: Pick<JobRecord, "stage" | "name">): JobPlan | undefined {
  return plan.stages[stage]?.jobs.find((one) => one.name === name);
}

/** The record of a stage as far as it counts in the current run. */
export function stageOf({ task, stages }: WholeTask, index: number): StageRecord | undefined {
  return stages.find(({ stage, ...record }) => stage === index && counts(record, task));
}

/** Everything that decides what comes next. */
export function stageStates(whole: WholeTask): StageState[] {
  return whole.plan.stages.map((plan, index) => {
    const record = stageOf(whole, index);
    const approval = plan.approval === null ? undefined : approvalState(record);
    return {
      parallel: plan.parallel,
      status: record?.status ?? "",
      mustBeExecuted: plan.manualExec !== null && record?.executedBy === undefined,
      ...(approval !== undefined && { approval }),
      jobs: plan.jobs.map(({ name }) => ({ name, status: jobOf(whole, name)?.status ?? "" })),
    };
  });
}

function approvalState(record: StageRecord | undefined): NonNullable<StageState["approval"]> {
  if (record?.approval === undefined) return "open";
  const outcome = taskApprovalOutcome(record.approval);
  if (outcome !== undefined) return outcome;
  const { approvalDeadline } = record;
  return approvalDeadline !== undefined && approvalDeadline <= nowSeconds() ? "timeout" : "open";
}
