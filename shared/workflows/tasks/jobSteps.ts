import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { config } from "../../base/settings/config.ts";
import { log } from "../../base/settings/log.ts";
import { mustLack } from "../../base/store/conditions.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { onlyIf, type Write } from "../../base/store/writes.ts";
import { holdingFreeze } from "../../projects/freezes/requireNoFreeze.ts";
import { freezeSentence } from "../../projects/freezes/words.ts";
import { together } from "../../reports/costs/rules/used.ts";
import { freezePlaces } from "../jobs/freezePlaces.ts";
import { inWords } from "../jobs/inWords.ts";
import {
  type BeginAgain,
  type ByHelm,
  failed,
  type JobRun,
  type NotYet,
  stopped,
  type Waiting,
  type WhyFinished,
} from "../jobs/runner.ts";
import { runnerOf } from "../jobs/runners.ts";
import { jobOf, planOf } from "../records/currentState.ts";
import { findJob, findTask } from "../records/findTasks.ts";
import { findJobScope, type JobScope, withJobBefore } from "../records/jobScope.ts";
import { publishTask } from "../records/publishTask.ts";
import { changeJob } from "../records/records.ts";
import { afterEnding } from "../records/rules/errorPolicy.ts";
import { isHeldBefore, isLetGo } from "../records/rules/hold.ts";
import { isJobFinal, type JobEnding, stops } from "../records/rules/status.ts";
import type { Hold, JobEnd, JobPlan, JobRecord, Task } from "../records/task.ts";
import { announceJob, sendJobNotices } from "./announce.ts";
import { endCounted, recordResult } from "./end/countJob.ts";
import { endRecord } from "./end/endRecord.ts";
import { concernsArtifacts, describeImages, recordArtifacts } from "./end/recordArtifacts.ts";
import { traceJob } from "./end/traceTask.ts";
import { recordDuration, recordWait } from "./jobFigures.ts";
import { jobRun, skipsJob } from "./jobRun.ts";

export interface JobName {
  ownerId: string;
  taskId: number;
  job: string;
}

/** What a job's record holds of a finished try. */
const ofOneTry = ["ended", "halfway", "leaving", "taskToken", "progressAt", "lines", "outside", "stands"] as const;

/** What the machine `job` does after a step that ended the job, or found that it has not ended yet. */
export type AfterJob =
  | { next: "done" | "again" | "begin" }
  | { next: "later" | "ask"; seconds: number }
  | { next: "helm"; deploy: string };

/**
 * Begins a job: its work is done here, or started here and awaited by the token. May be run again: what runs under the
 * same try is found, not made twice.
 */
export async function startJobRun(named: JobName & { taskToken: string }): Promise<void> {
  const { ownerId, taskId, job: name, taskToken } = named;
  const whole = await findJobScope(ownerId, taskId, name);
  const job = whole === undefined ? undefined : jobOf(whole, name);
  if (whole === undefined || job === undefined || isJobFinal(job.status) || hasRun(job)) {
    await completeTask(taskToken, {});
    return;
  }
  const { task } = whole;
  const status = job.status === "" ? "prepare" : job.status;
  if (isHeldBefore(job) && task.status !== "cancelled") {
    const stands = await tryWrite(table().write(changeJob(task, job, { set: { status, stands: "before" } })));
    if (stands && job.status === "") await announceJob(whole, job, { ...job, status });
    await completeTask(taskToken, {});
    return;
  }
  const startTime = job.startTime || nowSeconds();
  const begins = changeJob(task, job, { set: { taskToken, status, startTime }, unset: ["stands"] });
  if (!(await tryWrite(table().write(job.hold === undefined ? unlessHeld(begins) : begins)))) {
    // Held in this moment, it does not begin.
    if (job.hold === undefined && (await isHeld(named))) return startJobRun(named);
    await completeTask(taskToken, {});
    return;
  }
  if (job.startTime === 0) recordWait(await withJobBefore(whole, job), job, startTime);
  if (job.status === "") await announceJob(whole, job, { ...job, status, startTime });
  if (task.status === "cancelled") {
    if (job.status === "") return end(task, job, stopped("cancelled"), taskToken);
    // An execution before this one may have started something; the last step stops it.
    await completeTask(taskToken, {});
    return;
  }
  const begun = { ...job, status, startTime, taskToken };
  if (await skipsJob(whole, begun)) {
    return end(task, job, { ...failed(""), ending: "skipped" }, taskToken);
  }
  const run = await jobRun(whole, begun, taskToken);
  const held = task.overrideReason
    ? undefined
    : await holdingFreeze(await freezePlaces(task.owner.projectKey, runOf(run)));
  if (held !== undefined) return end(task, job, failed(freezeSentence(held)), taskToken);
  const outcome = await beginOrFail(run);
  if (!("waits" in outcome)) return end(task, job, outcome, taskToken);
  await waitFor(whole, run, outcome);
}

/** The plan of the job with every variable replaced. */
function runOf({ plan, run }: JobRun): Pick<JobPlan, "type" | "run"> {
  return { type: plan.type, run };
}

/** What it started has ended: it is not started again. */
function hasRun({ ended, halfway }: JobRecord): boolean {
  return ended !== undefined || halfway !== undefined;
}

async function beginOrFail(run: JobRun): Promise<JobEnd | Waiting> {
  return inWords(async () => (await runnerOf(run.plan.type)).begin(run));
}

/** Keeps how the work ended; the last step makes a status of it. */
async function end(task: { owner: { id: string }; taskId: number }, job: JobRecord, ended: JobEnd, taskToken: string) {
  await tryWrite(table().write(changeJob(task, job, { set: { ended } })));
  await completeTask(taskToken, {});
}

async function waitFor(whole: JobScope, run: JobRun, outcome: Waiting): Promise<void> {
  const { status = "running", goesOn, set } = outcome;
  const { task, job } = run;
  const change = changeJob(task, job, { set: { status, ...set } });
  const event = status === "wait_for_approval" ? [publishTask(task, status)] : [];
  if (!(await tryWrite(table().write(change, ...event)))) return;
  await outcome.leave?.();
  const now = await findTask(task.owner.id, task.taskId);
  await announceJob(whole, job, { ...job, status });
  // A cancel that came while the work was being started found nothing to end.
  if (goesOn || now?.status === "cancelled") await completeTask(run.taskToken, {});
}

/** The write, which fails when the job was put on hold since it was read. */
function unlessHeld(write: ReturnType<typeof changeJob>): Write {
  return onlyIf(mustLack("hold"), write);
}

async function isHeld({ ownerId, taskId, job }: JobName): Promise<boolean> {
  return (await findJob(ownerId, taskId, job))?.hold !== undefined;
}

/** Ends a job: what became of the work, then what its error policy makes of that (contract W 8.7). */
export async function finishJob(named: JobName, timedOut: boolean): Promise<AfterJob> {
  const { ownerId, taskId, job: name } = named;
  const whole = await findJobScope(ownerId, taskId, name);
  const job = whole === undefined ? undefined : jobOf(whole, name);
  const plan = whole && job && planOf(whole.plan, job);
  if (whole === undefined || job === undefined || plan === undefined) return { next: "done" };
  if (isJobFinal(job.status)) {
    // The process that ended it may have died before reporting that.
    await sendJobNotices(whole, job);
    await recordResult(whole, job);
    return followEnd(whole, job);
  }
  const { task } = whole;
  if (job.heldEnding !== undefined) return decide(whole, job);
  const isCancelled = task.status === "cancelled";
  if (job.stands === "before" && !isCancelled) return standBefore(whole, job);
  const why: WhyFinished = isCancelled ? "cancelled" : timedOut ? "timeout" : "settled";
  const known = job.leaving === true ? undefined : job.ended;
  const done = known ?? (await finishWork(await jobRun(whole, job, job.taskToken ?? ""), why));
  if ("notYet" in done) return { next: "later", seconds: done.seconds };
  if ("byHelm" in done) return { next: "helm", deploy: done.byHelm };
  if ("beginAgain" in done) return { next: "begin" };
  const after = afterEnding(isCancelled ? "cancelled" : done.ending, policyOf(plan, job));
  const { error, outputs, result } = done;
  const kept = {
    ...{ error, outputs: { ...job.outputs, ...outputs }, result: { ...job.result, ...result } },
    ...(done.used && { used: together(job.used ?? {}, done.used) }),
  };
  if ("again" in after) return again(task, job, kept);
  if ("ask" in after) {
    const heldEnding = done.ending === "timeout" ? "timeout" : "failed";
    const status = "wait_for_manual_error_handling";
    const decisionDeadline = nowSeconds() + config().SLIPWAY_DECISION_SECONDS;
    const write = changeJob(task, job, {
      set: { ...kept, status, heldEnding, decisionDeadline },
      unset: ofOneTry,
    });
    const told = () => [publishTask(task, status)];
    if (await endRecord(task, job, write, async () => told)) await announceJob(whole, job, { ...job, ...kept, status });
    return ask(decisionDeadline);
  }
  if (isCancelled || stops(after.end)) return conclude(whole, job, after.end, kept);
  if (job.hold !== undefined) return standAfter(whole, job, done, kept);
  return conclude(whole, job, after.end, kept, () => finishJob(named, timedOut));
}

/** A job that was held before it began stays held, begins, or ends because it was not released in time. */
async function standBefore(whole: JobScope, job: JobRecord): Promise<AfterJob> {
  if (job.hold === undefined) return { next: "begin" };
  if (nowSeconds() < job.hold.until) return ask(job.hold.until);
  const done = await finishWork(await jobRun(whole, job, job.taskToken ?? ""), "timeout");
  if ("notYet" in done) return { next: "later", seconds: done.seconds };
  return conclude(whole, job, "timeout", { ...job, error: overdue(job.hold) });
}

/** What it did is kept while it is held; nothing follows until it is released. */
async function standAfter(whole: JobScope, job: JobRecord, ended: JobEnd, kept: Kept): Promise<AfterJob> {
  const { hold } = job;
  if (hold === undefined || nowSeconds() >= hold.until)
    return conclude(whole, job, "timeout", { ...kept, ...(hold && { error: overdue(hold) }) });
  await tryWrite(table().write(changeJob(whole.task, job, { set: { ended, stands: "after", result: kept.result } })));
  return ask(hold.until);
}

function overdue({ by, since }: Hold): string {
  return `${by.name} held it at ${new Date(since * 1000).toISOString()}, and nobody let it go on in time`;
}

function finishWork(run: JobRun, why: WhyFinished): Promise<JobEnd | NotYet | ByHelm | BeginAgain> {
  return inWords(async () => (await runnerOf(run.plan.type)).finish(run, why));
}

function policyOf(plan: JobPlan, { retryCount }: JobRecord) {
  const { policy = "", maximumRetry = 0 } = plan.errorPolicy ?? {};
  return { policy, maximumRetry, retryCount };
}

type Kept = Pick<JobRecord, "error" | "outputs" | "result" | "used" | "failure">;

/** The next try begins like the first one. */
async function again(task: Task, job: JobRecord, { error, used }: Kept): Promise<AfterJob> {
  const set = { error, retryCount: job.retryCount + 1, outputs: {}, result: {}, ...(used && { used }) };
  await endRecord(task, job, changeJob(task, job, { set, unset: [...ofOneTry, "approval"] }));
  return { next: "again" };
}

/** @param again called instead when the job was put on hold since it was read; without it a hold no longer counts */
async function conclude(
  whole: JobScope,
  job: JobRecord,
  status: JobEnding,
  kept: Kept,
  again?: () => Promise<AfterJob>,
): Promise<AfterJob> {
  const { task } = whole;
  const { error, outputs, result, used, failure } = kept;
  const endTime = nowSeconds();
  const startTime = job.startTime || endTime;
  const set = {
    error,
    outputs,
    result,
    status,
    endTime,
    startTime,
    ...(used && { used }),
    ...(failure && { failure }),
  };
  const write = changeJob(task, job, { set, unset: [...ofOneTry, "heldEnding", "decisionDeadline", "hold"] });
  const ended = { ...job, ...set };
  if (await endRecord(task, job, again ? unlessHeld(write) : write, () => endCounted(whole, ended))) {
    recordDuration(whole, job, ended);
    traceJob(whole, ended);
    await announceJob(whole, job, ended);
  } else if (again && (await isHeld({ ownerId: task.owner.id, taskId: task.taskId, job: job.name }))) return again();
  await recordResult(whole, ended);
  return followEnd(whole, ended);
}

/** What follows a written end; registries are asked last, so that nothing waits for them. */
async function followEnd(whole: JobScope, job: JobRecord): Promise<AfterJob> {
  const { owner, taskId } = whole.task;
  const images = concernsArtifacts(whole, job) ? await recordArtifacts(whole, job) : [];
  const after = await told(owner.id, taskId, job.name);
  await describeImages(images);
  return after;
}

/** Reports the end of the job to the stage; read after the end was written, so that the token is the newest one. */
async function told(ownerId: string, taskId: number, name: string): Promise<AfterJob> {
  const job = await findJob(ownerId, taskId, name);
  if (job?.stageToken !== undefined) await completeTask(job.stageToken, {});
  return { next: "done" };
}

/** The error was decided, the task was cancelled meanwhile, or there was no decision in time. */
async function decide(whole: JobScope, job: JobRecord): Promise<AfterJob> {
  if (whole.task.status === "cancelled") return conclude(whole, job, "cancelled", job);
  const { errorDecision, heldEnding = "failed", decisionDeadline = 0 } = job;
  if (errorDecision === undefined && nowSeconds() < decisionDeadline) return ask(decisionDeadline);
  return conclude(whole, job, errorDecision === "ignore" ? "unstable" : heldEnding, job);
}

/** The next look is at the deadline, or at a decision. */
function ask(decisionDeadline: number): AfterJob {
  return { next: "ask", seconds: Math.max(1, decisionDeadline - nowSeconds()) };
}

/** Keeps the token for the decision about the error or the release of a held job; if done, it continues at once. */
export async function awaitDecision({ ownerId, taskId, job: name, taskToken }: JobName & { taskToken: string }) {
  const job = await findJob(ownerId, taskId, name);
  const named = { owner: { id: ownerId }, taskId };
  const waits = job !== undefined && (await tryWrite(table().write(changeJob(named, job, { set: { taskToken } }))));
  const [task, current] = await Promise.all([findTask(ownerId, taskId), findJob(ownerId, taskId, name)]);
  const isDecided = current === undefined || current.errorDecision !== undefined || isLetGo(current);
  if (!waits || isDecided || task?.status === "cancelled") await completeTask(taskToken, {});
}

/** The machinery failed at the job: it is failed, and says that it was not its own fault. */
export async function giveUpJob({ ownerId, taskId, job: name }: JobName, cause: string): Promise<void> {
  log.error("job given up", { ownerId, taskId, job: name, internal: cause.slice(0, 2000) });
  const whole = await findJobScope(ownerId, taskId, name);
  const job = whole === undefined ? undefined : jobOf(whole, name);
  if (whole === undefined || job === undefined) return;
  const error = "the platform failed: its machine gave this job up, and its log says why; try again";
  await conclude(whole, job, "failed", { ...job, error, failure: "platform" });
}
