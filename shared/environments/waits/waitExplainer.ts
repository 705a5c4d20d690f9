import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { explainWait, type WaitExplanation } from "../../kube/problems/explainWait.ts";
import { reasonOf } from "../failures.ts";
import type { ReadinessWait } from "../store/readinessWaits.ts";

const firstPauseMilliseconds = 1500;
const longestPauseMilliseconds = 10_000;
const readSeconds = 8;

/**
 * Looks again and again, ever less often, why an environment's wait goes on. A look runs beside the watch, which has a
 * lease to keep.
 */
export class WaitExplainer {
  readonly #wait: ReadinessWait;
  readonly #end: (explained: WaitExplanation[]) => Promise<void>;
  #pause = firstPauseMilliseconds;
  #nextAt = Date.now() + firstPauseMilliseconds;
  #looking = false;
  #last: WaitExplanation[] = [];

  /** @param end called when every workload is ready or cannot become so by waiting */
  constructor(wait: ReadinessWait, end: (explained: WaitExplanation[]) => Promise<void>) {
    this.#wait = wait;
    this.#end = end;
  }

  /** What the last look saw. */
  get last(): readonly WaitExplanation[] {
    return this.#last;
  }

  /** Begins a look when it is time for one. */
  look(): void {
    if (this.#looking || Date.now() < this.#nextAt) return;
    this.#looking = true;
    void this.#explain().finally(() => {
      this.#looking = false;
      this.#pause = Math.min(2 * this.#pause, longestPauseMilliseconds);
      this.#nextAt = Date.now() + this.#pause;
    });
  }

  async #explain(): Promise<void> {
    try {
      const { client } = await openCluster(this.#wait.clusterId);
      const call = { deadlineSeconds: readSeconds, signal: AbortSignal.timeout(readSeconds * 1000) };
      this.#last = await explainWait(client, this.#wait, nowSeconds(), call);
      const isOver = this.#last.every(({ state }) => state !== "progressing");
      // That all are ready the watch tells.
      if (isOver && this.#last.some(({ state }) => state === "failed")) await this.#end(this.#last);
    } catch (error) {
      log.warn("wait not explained", { waitId: this.#wait.waitId, internal: reasonOf(error) ?? String(error) });
    }
  }
}
