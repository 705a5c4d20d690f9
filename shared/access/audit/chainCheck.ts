import type { OperationRecord } from "./rules/operationRecord.ts";
import { type ChainEnd, emptyChain, hashOf, projectOfChain, type Seal } from "./store/seal.ts";

/** A bad record. */
export interface Finding {
  /** Empty for the chain of what belongs to no project. */
  project: string;
  /** Its place in the chain; 0 for a record that has none. */
  chainSequence: number;
  /** Its number in the whole log; 0 for one that is not there. */
  sequence: number;
  /** What happened to it, as the end of a sentence. */
  what: string;
}

interface Seen {
  sequence: number;
  previousHash: string;
  hash: string;
}

/** Follows one chain while its records come roughly in their order: some are sealed later than they were numbered. */
export class ChainCheck {
  readonly #name: string;
  readonly #endAtStart: ChainEnd;
  #reached: ChainEnd;
  #reachedSequence = 0;
  readonly #ahead = new Map<number, Seen>();
  #first: Finding | undefined;

  constructor({ name, end = emptyChain, anchor = emptyChain }: { name: string; end?: ChainEnd; anchor?: ChainEnd }) {
    this.#name = name;
    this.#endAtStart = end;
    this.#reached = anchor;
  }

  /** Takes the next record that claims to be of this chain. */
  take(seal: Seal, sequence: number, record: OperationRecord): void {
    const { chainSequence, previousHash, hash } = seal;
    if (hashOf(seal, sequence, record) !== hash) this.refuse(chainSequence, sequence, "was changed");
    if (chainSequence <= this.#reached.sequence || this.#ahead.has(chainSequence)) {
      this.refuse(chainSequence, sequence, "was inserted: its place is taken");
      return;
    }
    this.#ahead.set(chainSequence, { sequence, previousHash, hash });
    this.#follow();
  }

  /** Notes a bad record; the first one of the chain is kept. */
  refuse(chainSequence: number, sequence: number, what: string): void {
    const finding = { project: projectOfChain(this.#name), chainSequence, sequence, what };
    if (this.#first === undefined || chainSequence < this.#first.chainSequence) this.#first = finding;
  }

  /** @param endNow where the chain ends after all records were read: none may lie behind it */
  conclude(endNow: number): Finding | undefined {
    const next = this.#reached.sequence + 1;
    if (next <= this.#endAtStart.sequence) this.refuse(next, 0, "was removed");
    for (const [chainSequence, { sequence }] of this.#ahead)
      if (chainSequence > endNow) this.refuse(chainSequence, sequence, "was inserted: the chain ends before it");
    if (this.#reached.sequence > endNow)
      this.refuse(this.#reached.sequence, this.#reachedSequence, "was inserted: the chain ends before it");
    return this.#first;
  }

  #follow(): void {
    for (let next = this.#ahead.get(this.#reached.sequence + 1); next !== undefined; ) {
      const chainSequence = this.#reached.sequence + 1;
      // What is behind it names the hash that it had.
      if (next.previousHash !== this.#reached.hash)
        this.refuse(chainSequence - 1, this.#reachedSequence, "was changed");
      const { sequence: end, hash } = this.#endAtStart;
      if (chainSequence === end && next.hash !== hash) this.refuse(chainSequence, next.sequence, "was changed");
      this.#ahead.delete(chainSequence);
      this.#reached = { sequence: chainSequence, hash: next.hash };
      this.#reachedSequence = next.sequence;
      next = this.#ahead.get(chainSequence + 1);
    }
  }
}
