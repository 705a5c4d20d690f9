import { putCompressed } from "../../../base/aws/objects/compressedObject.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import type { Tree } from "../../../manifest/tree.ts";
import { lastBytes } from "../../pods/lastBytes.ts";
import { readContainerLog } from "../../pods/readContainerLog.ts";
import { textMasker } from "../../pods/rules/masker.ts";
import { findTask } from "../../records/findTasks.ts";
import { changeJob } from "../../records/records.ts";
import { logKeyOf } from "../container/jobPlaces.ts";
import type { JobRun } from "../runner.ts";

/** Of what the job said, so many bytes are in its record at most; the older lines go to its stored log. */
const mostInRecord = 160_000;
const leftInRecord = 64_000;

/** What a job does at another system: how far it is, what task detail shows of it, and what it says. */
export class OutsideWork<State extends object> {
  /** Where a later call continues. */
  state: Partial<State> & { stored?: boolean };
  /** As task detail shows it (contract W 4.4). */
  result: Tree;
  readonly #run: JobRun;
  readonly #lines: string[];
  #mask: (text: string) => string;

  constructor(run: JobRun) {
    const { outside, result, lines = [] } = run.job;
    this.state = { ...(outside as Partial<State>) };
    this.result = result;
    this.#run = run;
    this.#lines = [...lines];
    this.#mask = textMasker(run.secrets);
  }

  /** Secrets of the integration are never read in the log or in an error either. */
  hide(secrets: readonly string[]): void {
    this.#mask = textMasker([...this.#run.secrets, ...secrets]);
  }

  masked(text: string): string {
    return this.#mask(text);
  }

  /** Each line of the text is one of the log. No two have the same time, so that a reader knows where to continue. */
  say(text: string): void {
    for (const line of this.masked(text).split(/\r?\n/)) {
      const last = Date.parse(this.#lines.at(-1)?.split(" ")[0] ?? "") || 0;
      this.#lines.push(`${new Date(Math.max(Date.now(), last + 1)).toISOString()} ${line}\n`);
    }
  }

  /** Keeps how far it is. @returns false when the job has ended, or another run of it has started */
  async keep(): Promise<boolean> {
    await this.#store();
    const { task, job } = this.#run;
    const set = { outside: this.state, result: this.result, lines: this.#lines };
    return tryWrite(table().write(changeJob(task, job, { set })));
  }

  /** Whether the work is still wanted: the task was neither cancelled nor started again, and has time. */
  async isWanted(): Promise<boolean> {
    const { task, deadline } = this.#run;
    if (nowSeconds() >= deadline) return false;
    const now = await findTask(task.owner.id, task.taskId);
    return now !== undefined && now.status !== "cancelled" && now.retryNum === task.retryNum;
  }

  /** Before the job ends, so that its log is there when it has. */
  async storeLog(): Promise<void> {
    await this.#store(0);
  }

  /** Moves what does not fit in the record to the stored log, of which the end is kept. */
  async #store(left = leftInRecord): Promise<void> {
    const sizes = this.#lines.map((line) => Buffer.byteLength(line));
    let size = sizes.reduce((sum, one) => sum + one, 0);
    if (size <= mostInRecord && left > 0) return;
    let count = 0;
    for (; size > left && count < sizes.length; count++) size -= sizes[count] ?? 0;
    const moved = this.#lines.splice(0, count).join("");
    const key = logKeyOf(this.#run.task, this.#run.job);
    await putCompressed(key, lastBytes(joined(this.state.stored ? readContainerLog(key) : undefined, moved)));
    this.state = { ...this.state, stored: true };
  }
}

async function* joined(before: AsyncIterable<Uint8Array> | undefined, moved: string): AsyncGenerator<Uint8Array> {
  if (before !== undefined) yield* before;
  yield Buffer.from(moved);
}
