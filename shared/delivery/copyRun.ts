import { type CopyOutcome, type ImageCopy, openImageCopier } from "../images/imageCopier.ts";
import { ImageProblem } from "../images/imageProblem.ts";
import type { UploadNotes } from "../images/uploadNotes.ts";
import { config } from "../settings/config.ts";
import { nowSeconds } from "../store/ids.ts";
import { mapBounded } from "../values/mapBounded.ts";

/** Images on their way at once; each registry has a limit of its own. */
const atOnce = 8;
/** How often what moves is noted. */
const noteSeconds = 60;
const tickMilliseconds = 1000;

export interface CopyRun<Task> {
  tasks: readonly Task[];
  /** What a task copies. @throws ImageProblem */
  copyOf(task: Task): Promise<ImageCopy>;
  notes: UploadNotes;
  /** Unix seconds: since when it is at work, and when a registry last confirmed something. */
  startedAt: number;
  progressAt: number;
  begins(task: Task): Promise<void>;
  ends(task: Task, outcome: Pick<CopyOutcome, "state" | "digest" | "problem">): Promise<void>;
  /** Something moved, at that time. */
  moves(progressAt: number): Promise<void>;
}

type RunEnd = "done" | "paused" | "timeout";

/**
 * Copies images side by side. `paused`: this process has worked for as long as one may, and the next goes on from there;
 * `timeout`: nothing moved for too long (decisions 14.3). What is cut off has not ended.
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

  function fail(error: unknown): void {
    if (error === cut) return;
    state.failure ??= { error };
    stop.abort(cut);
  }

  async function note(): Promise<void> {
    noted = progressAt;
    await run.moves(progressAt).catch(fail);
  }

  const clock = setInterval(() => {
    const now = nowSeconds();
    if (progressAt - noted >= noteSeconds) void note();
    const isOver =
      now >= progressAt + limits.SLIPWAY_COPY_STALL_SECONDS || now >= run.startedAt + limits.SLIPWAY_COPY_WHOLE_SECONDS;
    if (isOver) {
      state.end = "timeout";
      stop.abort(cut);
    } else if (now >= pauseAt && !pausing.signal.aborted) {
      state.end = "paused";
      pausing.abort(cut);
    }
  }, tickMilliseconds);

  async function copyOne(task: Task): Promise<void> {
    if (stop.signal.aborted || pausing.signal.aborted) return;
    try {
      await run.begins(task);
      const outcome = await copier.copy(await run.copyOf(task));
      progressAt = nowSeconds();
      await run.ends(task, outcome);
    } catch (error) {
      if (!(error instanceof ImageProblem)) return fail(error);
      await run.ends(task, { state: "failed", digest: "", problem: error.message }).catch(fail);
    }
  }

  try {
    await mapBounded(run.tasks, atOnce, copyOne);
    if (state.end === "paused" && progressAt > noted) await note();
  } finally {
    clearInterval(clock);
    copier.close();
  }
  if (state.failure !== undefined) throw state.failure.error;
  return state.end;
}
