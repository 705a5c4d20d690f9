import { mapBounded } from "../../../base/common/mapBounded.ts";
import { recordMetric } from "../../../base/metrics/recordMetric.ts";
import { config } from "../../../base/settings/config.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { ImageProblem } from "../imageProblem.ts";
import { type CopyOutcome, type ImageCopier, type ImageCopy, openImageCopier } from "./imageCopier.ts";
import type { UploadNotes } from "./uploadNotes.ts";

/** Images on their way at once; each registry has a limit of its own. */
const atOnce = 8;
/** How often what moves is noted. */
const noteSeconds = 60;
/** How often it is asked whether the copies are still wanted. */
const lookSeconds = 3;
const tickMilliseconds = 1000;

export interface CopyRun<Task> {
  tasks: readonly Task[];
  /** What a task copies. @param copier the one that will @throws ImageProblem */
  copyOf(task: Task, copier: ImageCopier): Promise<ImageCopy>;
  notes: UploadNotes;
  /** Unix seconds: since when it is at work, and when a registry last confirmed something. */
  startedAt: number;
  progressAt: number;
  /** Unix seconds: until when they may last, where the caller has a limit of its own. */
  deadline?: number;
  begins(task: Task): Promise<void>;
  ends(task: Task, outcome: Ending): Promise<void>;
  /** Something moved, at that time. */
  moves(progressAt: number): Promise<void>;
  /** Asked every few seconds; without it they are wanted until they end. */
  isWanted?(): Promise<boolean>;
}

type Ending = Pick<CopyOutcome, "state" | "digest" | "problem">;

/** Images that this process is copying, for all callers. */
let underWay = 0;

function count(change: 1 | -1): void {
  underWay += change;
  recordMetric("copiesRunning", {}, underWay);
}

type RunEnd = "done" | "paused" | "timeout" | "unwanted";

/**
 * Copies images side by side. `paused`: this process has worked for as long as one may, and the next goes on from there;
 * `timeout`: nothing moved for too long, or all of it took too long (decisions 14.3); `unwanted`: the caller said so. What is
 * cut off has not ended.
 * @throws what the notes of the caller throw; then nothing goes on
 */
export async function runCopies<Task>(run: CopyRun<Task>): Promise<RunEnd> {
  const [stop, pausing] = [new AbortController(), new AbortController()];
  const cut = new Error("the copy was cut off");
  const state: { end: RunEnd; failure?: { error: unknown } } = { end: "done" };
  let progressAt = run.progressAt;
  let noted = progressAt;
  const copier = openImageCopier({
    ...{ signal: stop.signal, pausing: pausing.signal, notes: run.notes },
    progress: () => {
      progressAt = nowSeconds();
    },
  });
  const limits = config();
  const pauseAt = nowSeconds() + limits.SLIPWAY_COPY_SECONDS;
  const endAt = Math.min(run.startedAt + limits.SLIPWAY_COPY_WHOLE_SECONDS, run.deadline ?? Number.POSITIVE_INFINITY);
  let lookAt = nowSeconds() + lookSeconds;

  function fail(error: unknown): void {
    if (error === cut) return;
    state.failure ??= { error };
    stop.abort(cut);
  }

  async function noteMove(): Promise<void> {
    noted = progressAt;
    await run.moves(progressAt).catch(fail);
  }

  async function look(): Promise<void> {
    if (run.isWanted === undefined || (await run.isWanted())) return;
    state.end = "unwanted";
    stop.abort(cut);
  }

  const clock = setInterval(() => {
    const now = nowSeconds();
    if (progressAt - noted >= noteSeconds) void noteMove();
    if (now >= lookAt) {
      lookAt = now + lookSeconds;
      look().catch(fail);
    }
    if (now >= progressAt + limits.SLIPWAY_COPY_STALL_SECONDS || now >= endAt) {
      state.end = "timeout";
      stop.abort(cut);
    } else if (now >= pauseAt && !pausing.signal.aborted) {
      state.end = "paused";
      pausing.abort(cut);
    }
  }, tickMilliseconds);

  async function copyOne(task: Task): Promise<void> {
    if (stop.signal.aborted || pausing.signal.aborted) return;
    count(1);
    try {
      await run.begins(task);
      const outcome = await copier.copy(await run.copyOf(task, copier));
      progressAt = nowSeconds();
      await end(task, outcome, outcome.bytes);
    } catch (error) {
      if (!(error instanceof ImageProblem)) return fail(error);
      await end(task, { state: "failed", digest: "", problem: error.message }).catch(fail);
    } finally {
      count(-1);
    }
  }

  async function end(task: Task, outcome: Ending, sentBytes = 0): Promise<void> {
    await run.ends(task, outcome);
    recordMetric("copies", { outcome: outcome.state }, 1);
    recordMetric("copiedBytes", {}, sentBytes);
  }

  try {
    await mapBounded(run.tasks, atOnce, copyOne);
    if (state.end === "paused" && progressAt > noted) await noteMove();
  } finally {
    clearInterval(clock);
    copier.close();
  }
  if (state.failure !== undefined) throw state.failure.error;
  return state.end;
}
