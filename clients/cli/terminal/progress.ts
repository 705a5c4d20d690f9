import { clearScreenDown, moveCursor } from "node:readline";
import { seenWidth } from "./words.ts";

/** Shows how something goes on: on a terminal a block that changes in place, elsewhere each line that is new. */
export class Progress {
  readonly #stream: NodeJS.WriteStream;
  /** Rows of the terminal that the block takes: a long line takes several. */
  #shown = 0;
  #said = new Set<string>();

  /** @param stream where it is not the output of a command that goes on */
  constructor(stream: NodeJS.WriteStream = process.stderr) {
    this.#stream = stream;
  }

  show(lines: readonly string[]): void {
    if (this.#stream.isTTY !== true) {
      for (const line of lines.filter((one) => !this.#said.has(one))) this.#stream.write(`${line}\n`);
      this.#said = new Set(lines);
      return;
    }
    this.#back();
    // A terminal that does not know its size says 0.
    const [height, width] = [this.#stream.rows || 24, this.#stream.columns || 80];
    const room = Math.max(height - 1, 1);
    for (const line of lines.flatMap((one) => one.split("\n"))) {
      const rows = Math.max(Math.ceil(seenWidth(line) / width), 1);
      if (this.#shown + rows > room) break;
      this.#stream.write(`${line}\n`);
      this.#shown += rows;
    }
  }

  /** Removes the block, so that the next output takes its place. */
  clear(): void {
    if (this.#stream.isTTY === true) this.#back();
  }

  #back(): void {
    if (this.#shown === 0) return;
    moveCursor(this.#stream, 0, -this.#shown);
    clearScreenDown(this.#stream);
    this.#shown = 0;
  }
}
