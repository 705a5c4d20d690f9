import { setTimeout as delay } from "node:timers/promises";
import { type LogPiece, logPositionOf, textOfPieces, timedLines } from "../../../base/common/timedLines.ts";
import { jobKindOf } from "../../definition/jobKinds.ts";
import { type FollowOptions, followContainerLog } from "../../pods/followContainerLog.ts";
import { readContainerLog } from "../../pods/readContainerLog.ts";
import { jobOf } from "../../records/currentState.ts";
import type { WholeTask } from "../../records/findTasks.ts";
import { isJobFinal } from "../../records/rules/status.ts";
import type { JobPlan } from "../../records/task.ts";
import { logKeyOf, refOf } from "./jobPlaces.ts";
import { findJob, type JobName, type PlannedJob, requireJob } from "./namedJob.ts";

const lookMilliseconds = 500;

/**
 * The whole log of a job that ended; nothing when none is stored (contract W 14).
 * @throws ApiError 404 for an unknown workflow, task or job
 */
export async function storedJobLog(name: JobName): Promise<AsyncIterable<Uint8Array>> {
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
export async function followJobLog(name: JobName, asked: FollowOptions): Promise<AsyncIterable<readonly LogPiece[]>> {
  const found = await requireJob(name);
  return leavesLog(found.plan) ? follow(name, found, asked) : nothing<readonly LogPiece[]>();
}

async function* follow(
  name: JobName,
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

/** Whether nothing of the task will run from now on. */
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
