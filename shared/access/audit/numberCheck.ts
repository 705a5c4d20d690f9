import { setTimeout as pause } from "node:timers/promises";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { countOf, type LogCounts } from "./store/counts.ts";

const maxNamed = 20;
/** So long a record may be on its way after its number was taken. */
const onItsWayMilliseconds = 5000;

/**
 * Whether every number of the whole log has a record. What retention removed, which is not always the lowest numbers, is
 * known by its count.
 */
export class NumberCheck {
  readonly #last: number;
  readonly #removed: number;
  #next = 1;
  #missing: number[] = [];

  /** @param counts as they were before the records are read */
  constructor(counts: LogCounts) {
    const { value, removed } = countOf(counts, "value");
    this.#last = value;
    this.#removed = removed;
  }

  /** Takes the next record, in the order of their numbers. */
  take(sequence: number): void {
    for (; this.#next < Math.min(sequence, this.#last + 1); this.#next++) this.#missing.push(this.#next);
    this.#next = Math.max(this.#next, sequence + 1);
  }

  /** @returns sentences, none where all is well */
  async conclude(): Promise<string[]> {
    this.take(this.#last + 1);
    if (this.#missing.length > this.#removed) await this.#lookAgain();
    const lost = this.#missing.length - this.#removed;
    if (lost <= 0) return [];
    // What was removed is the oldest.
    const named = this.#missing.slice(-lost);
    const more = named.length > maxNamed ? ` and ${named.length - maxNamed} more` : "";
    return [`${lost} numbers of the whole log have no record: ${named.slice(0, maxNamed).join(", ")}${more}`];
  }

  async #lookAgain(): Promise<void> {
    await pause(onItsWayMilliseconds);
    const came = await table().getMany<{ sequence: number }>(this.#missing.slice(-1000).map(keys.operationLog));
    const arrived = new Set(came.map(({ sequence }) => sequence));
    this.#missing = this.#missing.filter((number) => !arrived.has(number));
  }
}
