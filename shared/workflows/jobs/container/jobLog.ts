import { setTimeout as delay } from "node:timers/promises";
import { notFound } from "../../../errors/apiError.ts";
import { type LogPiece, logPositionOf, textOfPieces, timedLines } from "../../../values/timedLines.ts";
import { jobKindOf } from "../../definition/jobKinds.ts";
import { type FollowOptions, followContainerLog } from "../../pods/followContainerLog.ts";
import { readContainerLog } from "../../pods/readContainerLog.ts";
import { jobOf } from "../../records/currentState.ts";
import { findWholeTask, type WholeTask } from "../../records/findTasks.ts";
import { isJobFinal } from "../../records/rules/status.ts";
import type { JobPlan } from "../../records/task.ts";
import { findTaskOwner } from "../../records/taskHeads.ts";
import { logKeyOf, refOf } from "./jobPlaces.ts";

/** How a request names a job of a task. */
export interface JobLogName {
  /** The owner's, as it stands on the wire. */
  ownerKey: string;
  taskId: number;
  /** The job task's name; else the first whose job or key is named so (contract W 14). */
  job: string;
}

const lookMilliseconds = 500;

/**
 * The whole log of a job that ended; nothing when none is stored (contract W 14).
 * @throws ApiError 404 for an unknown workflow, task or job
 */
export async function storedJobLog(name: JobLogName): Promise<AsyncIterable<Uint8Array>> {
  const { whole, plan } = await requireJob(name);
  return leavesLog(plan)
    ? textOfPieces(timedLines(readContainerLog(logKeyOf(whole.task, plan))))
    : nothing<Uint8Array>();
}

/**
 * The log of a job as it grows: waits until it runs, and ends with it. One that ended has its last lines, or what comes
 * after the line that was seen; a job that leaves no log has none (contract W 14).
 * @throws ApiError 404 for an unknown workflow, task or job; ClusterError
 */
export async function followJobLog(
  name: JobLogName,
  asked: FollowOptions,
): Promise<AsyncIterable<readonly LogPiece[]>> {
  const found = await requireJob(name);
  return leavesLog(found.plan) ? follow(name, found, asked) : nothing<readonly LogPiece[]>();
}

async function* follow(
  name: JobLogName,
  first: PlannedJob,
  { tailLines, after: seen, signal }: FollowOptions,
): AsyncGenerator<readonly LogPiece[]> {
  let found: PlannedJob | undefined = first;
  let after = seen;
  while (found !== undefined && !signal.aborted) {
    const { whole, plan } = found;
    const record = jobOf(whole, plan.name);
    if (record !== undefined && isJobFinal(record.status)) {
      const stored = readContainerLog(logKeyOf(whole.task, plan));
      yield* timedLines(after === undefined ? lastLines(stored, tailLines) : stored, after);
      return;
    }
    if (isOver(whole)) return;
    if (record?.lines !== undefined) {
      const said = inOneChunk(record.lines.join(""));
      for await (const pieces of timedLines(after === undefined ? lastLines(said, tailLines) : said, after)) {
        yield pieces;
        after = logPositionOf(pieces.findLast(({ id }) => id !== undefined)?.id ?? "") ?? after;
      }
    } else if (record !== undefined && record.status !== "" && runsInContainer(plan)) {
      const ref = refOf({ task: whole.task, job: record, run: plan.run });
      let isEmpty = true;
      for await (const pieces of followContainerLog(ref, { tailLines, after, signal })) {
        isEmpty &&= pieces.every(({ bytes }) => bytes.length === 0);
        yield pieces;
      }
      if (!isEmpty) return;
    }
    await delay(lookMilliseconds, undefined, { signal }).catch(() => undefined);
    found = await findJob(name);
  }
}

interface PlannedJob {
  whole: WholeTask;
  plan: JobPlan;
}

async function requireJob(name: JobLogName): Promise<PlannedJob> {
  const found = await findJob(name);
  if (found === undefined) throw notFound(`job ${name.job} of task ${name.taskId} of ${name.ownerKey}`);
  return found;
}

async function findJob({ ownerKey, taskId, job }: JobLogName): Promise<PlannedJob | undefined> {
  const owner = await findTaskOwner(ownerKey);
  const whole = owner && (await findWholeTask(owner.id, taskId));
  const plans = whole?.plan.stages.flatMap(({ jobs }) => jobs) ?? [];
  const plan =
    plans.find(({ name }) => name === job) ?? plans.find(({ originName, key }) => [originName, key].includes(job));
  return whole && plan && { whole, plan };
}

async function* inOneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* nothing<T>(): AsyncGenerator<T> {}

/** Whether a log of the job is kept when it ends. */
function leavesLog(plan: JobPlan): boolean {
  return runsInContainer(plan) || jobKindOf(plan.type)?.tells === true;
}

function runsInContainer({ run }: JobPlan): boolean {
  const { settings } = run as { settings?: { clusterId?: unknown } };
  return typeof settings?.clusterId === "string";
}

/** Nothing of the task will run any more. */
function isOver({ task }: WholeTask): boolean {
  return task.concluded;
}

const lineFeed = 10;

/** Keeps no more of the text than those lines. */
async function* lastLines(text: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const chunk of text) kept = tail(Buffer.concat([kept, chunk]), count);
  if (kept.length > 0) yield kept;
}

function tail(text: Buffer, count: number): Buffer {
  let at = text.at(-1) === lineFeed ? text.length - 1 : text.length;
  for (let left = count; left > 0; left--) {
    at = at <= 0 ? -1 : text.lastIndexOf(lineFeed, at - 1);
    if (at < 0) return text;
  }
  return Buffer.from(text.subarray(at + 1));
}
