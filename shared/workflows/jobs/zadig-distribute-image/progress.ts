import { Readable } from "node:stream";
import { putCompressed } from "../../../base/aws/objects/compressedObject.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { table } from "../../../base/store/table.ts";
import { tryWrite } from "../../../base/store/tryWrite.ts";
import { plainText, type Tree, treesOf } from "../../../manifest/tree.ts";
import { changeJob } from "../../records/records.ts";
import { logKeyOf } from "../container/jobPlaces.ts";
import type { JobRun } from "../runner.ts";
import { type CopyState, shownImage } from "./planner.ts";
import type { PreparedImage } from "./preparedImages.ts";

/** An image and how far it is. */
export type CopiedImage = PreparedImage & CopyState;

/** What a job that copies images has done, kept in its record from time to time. */
export class DistributeProgress {
  readonly images: CopiedImage[];
  /** Unix seconds: when a registry last confirmed something. */
  progressAt: number;
  readonly #run: JobRun;
  readonly #lines: string[];
  #isKept = true;
  #keeping: Promise<unknown> = Promise.resolve();

  constructor(run: JobRun, images: readonly PreparedImage[]) {
    const { result, lines = [], progressAt = nowSeconds() } = run.job;
    const known = treesOf(result.distribute_target);
    this.images = images.map((image, at) => ({
      ...image,
      digest: plainText(known[at]?.digest),
      status: plainText(known[at]?.status) as CopyState["status"],
      error: plainText(known[at]?.error),
    }));
    this.progressAt = progressAt;
    this.#run = run;
    this.#lines = [...lines];
  }

  change(image: CopiedImage, set: Partial<Pick<CopiedImage, "digest" | "status" | "error">>): void {
    Object.assign(image, set);
    this.#isKept = false;
  }

  /** No two lines have the same time, so that a reader knows where to continue. */
  say(text: string): void {
    const last = Date.parse(this.#lines.at(-1)?.split(" ")[0] ?? "") || 0;
    this.#lines.push(`${new Date(Math.max(Date.now(), last + 1)).toISOString()} ${text}\n`);
    this.#isKept = false;
  }

  /** As task detail shows it (contract W 4.4). */
  result(): Tree {
    const [first] = this.images;
    return {
      source_registry_id: first?.sourceRegistryId ?? "",
      target_registry_id: this.#run.run.targetRegistryId,
      distribute_target: this.images.map(shownImage),
    };
  }

  moved(progressAt: number): void {
    this.progressAt = progressAt;
    this.#isKept = false;
  }

  /** Keeps what is new. @returns false when the job has ended, or another run of it has started */
  keep(): Promise<boolean> {
    // One after the other: what is kept last is the newest.
    const kept = this.#keeping.then(async () => {
      if (this.#isKept) return true;
      this.#isKept = true;
      const { task, job } = this.#run;
      const set = { result: this.result(), lines: this.#lines, progressAt: this.progressAt };
      return tryWrite(table().write(changeJob(task, job, { set })));
    });
    this.#keeping = kept.catch(() => undefined);
    return kept;
  }

  /** Before the job ends, so that its log is there when it has. */
  async storeLog(): Promise<void> {
    const { task, job } = this.#run;
    await putCompressed(logKeyOf(task, job), Readable.from([Buffer.from(this.#lines.join(""))]));
  }
}
