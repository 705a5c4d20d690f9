/** Messages that a connection gets one a second, when it got none for long. */
const burst = 60;
/** After those one comes as often: at most 2,940 in eight hours, whatever changes (docs/aws.md, cost of change sockets). */
const refillMilliseconds = 10_000;

/** How often a connection is told, which is what API Gateway bills. */
export class Pace {
  #left = burst;
  #since: number;

  /** @param now Unix milliseconds, as everywhere here */
  constructor(now: number) {
    this.#since = now;
  }

  /** Whether a message may be sent now. */
  isDue(now: number): boolean {
    const more = Math.floor((now - this.#since) / refillMilliseconds);
    if (more > 0) {
      this.#left = Math.min(burst, this.#left + more);
      this.#since += more * refillMilliseconds;
    }
    return this.#left > 0;
  }

  /** Counts a message. */
  take(): void {
    this.#left -= 1;
  }
}
