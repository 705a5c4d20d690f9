import { TemplateError } from "./templateError.ts";

/** How many characters of intermediate text weigh as much as one step. */
const CHARACTERS_PER_STEP = 256;

/** Counts the work of one rendering, so that no template takes longer than its limits allow. */
export class Budget {
  line = 1;
  #steps = 0;
  #bytes = 0;
  readonly maxSteps: number;
  readonly maxBytes: number;

  constructor(maxSteps: number, maxBytes: number) {
    this.maxSteps = maxSteps;
    this.maxBytes = maxBytes;
  }

  /** Charges steps. Throws a TemplateError of reason `limit` beyond `maxSteps`. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.maxSteps) {
      throw new TemplateError("limit", this.line, `rendering takes more than ${this.maxSteps} steps`);
    }
  }

  /** Charges text that a function makes or reads on the way to its result. */
  text(length: number): void {
    if (length > this.maxBytes) {
      throw new TemplateError("limit", this.line, `a value is longer than ${this.maxBytes} bytes`);
    }
    this.step(length / CHARACTERS_PER_STEP);
  }

  /** Charges rendered output by its size in UTF-8. */
  output(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes > this.maxBytes) {
      throw new TemplateError("limit", this.line, `the rendered text is longer than ${this.maxBytes} bytes`);
    }
  }
}
