import { setTimeout } from "node:timers/promises";
import type { FollowedState } from "../../../shared/environments/apply/followServices.ts";

/** At least between two times that services are told of. */
const restMilliseconds = 1000;

/** What became of an environment's services since that was told last: however many changes are one. */
export class ServicesNews {
  #news: FollowedState | undefined;
  #toldAt = 0;
  #wake = (): void => {};

  hear(state: FollowedState): void {
    // `followed` says already that they have to be asked for.
    this.#news = state === "changed" ? (this.#news ?? state) : state;
    this.#wake();
  }

  take(): FollowedState | undefined {
    const taken = this.#news;
    this.#news = undefined;
    if (taken !== undefined) this.#toldAt = Date.now();
    return taken;
  }

  /** Waits for news until the time has passed. @throws AbortError */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    const rest = Math.max(0, this.#toldAt + restMilliseconds - Date.now());
    await setTimeout(rest, undefined, { signal });
    if (this.#news !== undefined) return;
    const heard = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await Promise.race([heard, setTimeout(milliseconds - rest, undefined, { signal })]);
  }
}
