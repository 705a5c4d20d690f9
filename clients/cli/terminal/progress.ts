import { clearScreenDown, moveCursor } from "node:readline";

/** Shows how something goes on: on a terminal a block that changes in place, elsewhere each line that is new. */
export class Progress {
  readonly #stream: NodeJS.WriteStream = process.stderr;
  #shown = 0;
  #said = new Set<string>();

  show(lines: readonly string[]): void {
    if (this.#stream.isTTY !== true) {
      for (const line of lines.filter((one) => !this.#said.has(one))) this.#stream.write(`${line}\n`);
      this.#said = new Set(lines);
      return;
    }
    this.#back();
    const room = Math.max((this.#stream.rows ?? 24) - 1, 1);
    const fitting = lines.slice(0, room);
    this.#stream.write(fitting.map((line) => `${line}\n`).join(""));
    this.#shown = fitting.length;
  }

  /** Takes the block away, so that what comes now stands in its place. */
  clear(): void {
    if (this.#stream.isTTY === true) this.#back();
    this.#shown = 0;
  }

  #back(): void {
    if (this.#shown === 0) return;
    moveCursor(this.#stream, 0, -this.#shown);
    clearScreenDown(this.#stream);
  }
}
