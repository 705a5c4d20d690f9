import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { newId, nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import type { Write } from "../../base/store/writes.ts";
import { questionOf } from "../../integrations/approvals/rules/givenQuestion.ts";
import type { TaskOwner } from "../../integrations/approvals/store/approvalInstances.ts";
import { pendingOpening } from "../../integrations/approvals/store/pendingApprovals.ts";
import { questionProblems, questionText } from "../jobs/approval/vendorQuestion.ts";
import { missingApprovers } from "../jobs/people.ts";
import { changeTask } from "../records/changeTask.ts";
import { readConcurrency } from "../records/concurrency.ts";
import { jobOf, stageOf, stageStates } from "../records/currentState.ts";
import { findWholeTask, type WholeTask } from "../records/findTasks.ts";
import { publishTask } from "../records/publishTask.ts";
import { releaseTask } from "../records/queue.ts";
import { changeStage, startJobRecords, startStageRecord } from "../records/records.ts";
import { type Approval, defaultApprovalMinutes } from "../records/rules/approval.ts";
import { nextStep as decide, type NextStep } from "../records/rules/nextStep.ts";
import { newRound } from "../records/rules/taskApproval.ts";
import type { JobRecord, StageApprovalPlan, StageRecord } from "../records/task.ts";
import { announceStage, announceTask, sendStageNotices } from "./announce.ts";
import { dispatchTasks } from "./dispatchTasks.ts";
import { endRecord } from "./end/endRecord.ts";
import { shownValues } from "./start/shownSpecs.ts";

/** What the state machine does next; fields that the step does not need are there all the same. */
export interface Step {
  do: "jobs" | "approve" | "end" | "nothing";
  stage: number;
  jobs: string[];
  /** Jobs at once. */
  concurrency: number;
  timeoutSeconds: number;
}

export interface TaskRun {
  ownerId: string;
  taskId: number;
  attempt: number;
}

/** @returns false when the task cannot run */
type PlanLarge = (whole: WholeTask) => Promise<boolean>;

const nothing: Step = { do: "nothing", stage: 0, jobs: [], concurrency: 1, timeoutSeconds: 1 };

/**
 * Decides what comes next in a task and notes what ended before it; may be asked any number of times. A task that ended,
 * or that a newer execution runs, has nothing to do. Those who end tasks need no planners, so what plans is passed in.
 * @param planLarge plans a task that its start did not plan
 */
export async function nextStep(run: TaskRun, planLarge: PlanLarge): Promise<Step> {
  const { ownerId, taskId, attempt } = run;
  const whole = await findWholeTask(ownerId, taskId);
  if (whole === undefined || whole.task.attempt !== attempt) return nothing;
  if (whole.task.status === "pause") {
    // Paused by a run of this step that died before it was done.
    await dispatchTasks(whole.task.owner);
    return nothing;
  }
  if (!whole.task.holdsSlot) return { ...nothing, do: "end" };
  const again = () => nextStep(run, planLarge);
  if (!(await begin(whole))) return again();
  if (whole.task.unplanned === true) return (await planLarge(whole)) ? again() : { ...nothing, do: "end" };
  const step = decide(stageStates(whole), whole.task.status);
  for (const { stage, status } of step.endings) await endStage(whole, stage, status);
  switch (step.do) {
    case "end":
      return { ...nothing, do: "end" };
    case "pause":
      return (await pause(whole, step.stage)) ? nothing : again();
    case "approve":
      return { ...nothing, do: "approve", stage: step.stage, timeoutSeconds: await startApproval(whole, step.stage) };
    case "jobs":
      return { ...nothing, do: "jobs", stage: step.stage, ...(await startStage(whole, step)) };
  }
}

/** The first step of a run: the task is running from here on. @returns false when it was cancelled meanwhile */
async function begin(whole: WholeTask): Promise<boolean> {
  const { task } = whole;
  if (task.status !== "queued") return true;
  const begun = { status: "running" as const, startTime: nowSeconds() };
  const running = { ...task, ...begun };
  if (!(await tryWrite(table().write(changeTask(task, begun, "begin"), publishTask(running))))) return false;
  whole.task = running;
  await announceTask(whole, "queued", whole);
  return true;
}

export function stageRecord(whole: WholeTask, stage: number): StageRecord {
  return (
    stageOf(whole, stage) ?? {
      stage,
      retryNum: whole.task.retryNum,
      status: "",
      startTime: 0,
      endTime: 0,
      error: "",
    }
  );
}

/** Sets attributes of a stage, and begins its record in this run if needed. @returns false when another run started */
export function writeStage(
  whole: WholeTask,
  index: number,
  set: Partial<StageRecord>,
  ...beside: readonly Write[]
): Promise<boolean> {
  return tryWrite(table().write(stageWrite(whole, index, set), ...beside));
}

function stageWrite(whole: WholeTask, index: number, set: Partial<StageRecord>): Write {
  const stored = stageOf(whole, index);
  const begun = { ...stageRecord(whole, index), ...set };
  return stored ? changeStage(whole.task, stored, set) : startStageRecord(whole.task, begun);
}

/** Notes how a stage ended. */
export async function endStage(whole: WholeTask, stage: number, status: StageRecord["status"]): Promise<void> {
  const before = stageRecord(whole, stage);
  const now = nowSeconds();
  const set = { status, startTime: before.startTime || now, endTime: now };
  if (await endRecord(whole.task, before, stageWrite(whole, stage, set)))
    await announceStage(whole, before, { ...before, ...set });
}

/** Begins a stage and the records of its jobs. */
export async function startStage(
  whole: WholeTask,
  { stage, jobs }: Pick<Extract<NextStep, { do: "jobs" }>, "stage" | "jobs">,
): Promise<Pick<Step, "jobs" | "concurrency">> {
  const { task, plan } = whole;
  const before = stageRecord(whole, stage);
  if (before.status !== "running") {
    const set = { status: "running" as const, startTime: before.startTime || nowSeconds() };
    await writeStage(whole, stage, set);
    await announceStage(whole, before, { ...before, ...set });
  }
  const missing = jobs.filter((name) => jobOf(whole, name) === undefined);
  await startJobRecords(
    task,
    missing.map((name) => newJob(name, stage, task.retryNum)),
  );
  const parallel = plan.stages[stage]?.parallel === true;
  return { jobs, concurrency: parallel ? (await readConcurrency()).buildConcurrency : 1 };
}

export function newJob(name: string, stage: number, retryNum: number): JobRecord {
  return {
    ...{ name, stage, retryNum, jobId: newId(), attempt: 0, status: "" },
    ...{ startTime: 0, endTime: 0, error: "", retryCount: 0, outputs: {}, result: {} },
  };
}

/** Opens the approval of a stage. @returns the seconds that are left of it */
async function startApproval(whole: WholeTask, stage: number): Promise<number> {
  const now = nowSeconds();
  const before = stageRecord(whole, stage);
  if (before.approvalDeadline !== undefined) {
    // The process that opened it may have died before reporting that.
    await sendStageNotices(whole, before);
    return Math.max(before.approvalDeadline - now, 1);
  }
  const stated = whole.plan.stages[stage]?.approval;
  const timeoutSeconds = (stated?.timeoutMinutes || defaultApprovalMinutes) * 60;
  const status = "wait_for_approval" as const;
  const opened = { approvalDeadline: now + timeoutSeconds, startTime: now, status };
  const begun = stated?.asks ? beginStageRound(whole, stage, stated.asks) : await nativeApproval(stated?.approval);
  const { owner, ...set } = { owner: undefined, ...opened, ...begun };
  await writeStage(whole, stage, set, publishTask(whole.task, status), ...(owner ? [pendingOpening(owner)] : []));
  if (owner !== undefined) await invokeLater("approval-follower", owner);
  await announceStage(whole, before, { ...before, ...set });
  return timeoutSeconds;
}

/** By users of this installation; one whose approvers were deleted ends at once. */
async function nativeApproval(
  stated: Approval = { neededApprovers: 1, approvers: [] },
): Promise<Pick<StageRecord, "approval" | "error">> {
  const error = await missingApprovers(stated);
  return error === undefined ? { approval: stated, error: "" } : { approval: { ...stated, error }, error };
}

/**
 * The task waits outside of the queue until the stage is executed, and holds no slot (contract W 8.3).
 * @returns false when it was cancelled meanwhile
 */
async function pause(whole: WholeTask, stage: number): Promise<boolean> {
  const before = stageRecord(whole, stage);
  const set = { status: "pause" as const, startTime: before.startTime || nowSeconds() };
  await writeStage(whole, stage, set);
  if (!(await tryWrite(releaseTask(whole, { status: "pause" })))) return false;
  const from = whole.task.status;
  whole.task = { ...whole.task, status: "pause" };
  await announceStage(whole, before, { ...before, ...set });
  await announceTask(whole, from);
  // Another task may take its slot now.
  await dispatchTasks(whole.task.owner);
  return true;
}

/**
 * The approval of a stage as a chat service is asked for it, and the owner whose opening is pending; one that cannot be
 * asked for with the values of its variables fails at once. No credential is in it.
 */
function beginStageRound(
  whole: WholeTask,
  stage: number,
  asks: NonNullable<StageApprovalPlan["asks"]>,
): Pick<StageRecord, "approval"> & { error?: string; owner?: TaskOwner } {
  const { task, plan } = whole;
  const { type, given } = shownValues(whole)(asks);
  const { name = "", approval: stated } = plan.stages[stage] ?? {};
  const key = `${task.recordId}-${stage}-${task.retryNum}`;
  const text = questionText(task, `stage ${name}`, [shownValues(whole)(stated?.description)]);
  const approval = newRound(key, questionOf(type, given), text, nowSeconds());
  const problems = questionProblems(type, given);
  if (problems.length === 0 || approval.vendor === undefined)
    return { approval, owner: { ownerId: task.owner.id, taskId: task.taskId, stage, key } };
  const error = problems.join("; ");
  return { approval: { ...approval, vendor: { ...approval.vendor, outcome: "failed", error } }, error };
}
