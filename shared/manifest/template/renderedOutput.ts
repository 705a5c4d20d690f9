import type { Budget } from "./budget.ts";
import type { Origin } from "./origin.ts";

/** Text that a template inserted: UTF-16 offsets in the output and the variable it came from. */
export interface Span {
  start: number;
  end: number;
  variable: string;
}

/** Collects rendered text and remembers where inserted text came from. */
export class RenderedOutput {
  readonly pieces: string[] = [];
  readonly spans: Span[] = [];
  #length = 0;
  readonly #budget: Budget;
  readonly #allNames: readonly string[];

  constructor(budget: Budget, allNames: readonly string[]) {
    this.#budget = budget;
    this.#allNames = allNames;
  }

  write(text: string, from: Origin): void {
    if (text === "") return;
    this.#budget.output(text);
    this.pieces.push(text);
    const start = this.#length;
    this.#length += text.length;
    const names = from.includes("*") ? this.#allNames : from;
    this.#budget.step(names.length);
    for (const variable of names) this.spans.push({ start, end: this.#length, variable });
  }
}
