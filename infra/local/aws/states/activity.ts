/** Counts what moves by itself. A thread that waits for a task token, or for threads of its own, does not count. */
export class Activity {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves when nothing moves. Between two states nothing moves for a moment, so it looks again a turn later. */
  async idle(): Promise<void> {
    do {
      if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#count > 0);
  }
}
