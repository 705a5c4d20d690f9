import { controlPlane } from "../../../reports/costs/rules/controlPlane.ts";
import { beyond, timesUsed, together, type Used, type WholeUse } from "../../../reports/costs/rules/used.ts";
import type { WholeTask } from "../findTasks.ts";
import type { JobRecord, StageRecord } from "../task.ts";

/** What a task had used when it last gave its slot back. */
export interface Spent {
  /** Executions and retries there were then. */
  attempt: number;
  retryNum: number;
  /** By stages and jobs of runs before that one, whose records later runs replace. */
  before: Used;
  /** By stages and jobs of that run. */
  ofRun: Used;
}

type Records = Pick<WholeTask, "task" | "stages" | "jobs">;

/** What a task has used so far: of a job what its finished tries used. */
export function usedByTask(whole: Records): WholeUse {
  const { before, ofRun, attempt } = spentBy(whole);
  return together(timesUsed(controlPlane.execution, attempt), before, ofRun);
}

/**
 * What is to be kept when a task gives its slot back, and what it has used since it last did so: since its start, the last
 * pause or the last end.
 */
export function spending(whole: Records): { spent: Spent; used: WholeUse } {
  const { spent: last } = whole.task;
  const now = spentBy(whole);
  const counted = together(
    timesUsed(controlPlane.execution, last?.attempt ?? 0),
    ...(last === undefined ? [] : [last.before, last.ofRun]),
  );
  return { spent: now, used: beyond(usedByTask(whole), counted) };
}

function spentBy({ task: { attempt, retryNum, spent }, stages, jobs }: Records): Spent {
  const isOfRun = (record: StageRecord | JobRecord) => record.retryNum === retryNum && record.startTime > 0;
  const ofRun = together(...stages.filter(isOfRun).map(usedByStage), ...jobs.filter(isOfRun).map(usedByJob));
  return { attempt, retryNum, before: usedBefore(retryNum, spent), ofRun };
}

function usedBefore(retryNum: number, spent: Spent | undefined): Used {
  if (spent === undefined) return {};
  return spent.retryNum === retryNum ? spent.before : together(spent.before, spent.ofRun);
}

function usedByStage({ approval }: StageRecord): Used {
  return approval === undefined ? controlPlane.stage : together(controlPlane.stage, controlPlane.approval);
}

function usedByJob({ retryCount, used = {} }: JobRecord): Used {
  return together(controlPlane.job, timesUsed(controlPlane.retry, retryCount), used);
}
