import type { LogPiece } from "../../base/common/timedLines.ts";
import { createMasker, longestShortLine, maskText, shortLinesOf } from "./rules/masker.ts";

const lineFeed = 10;

/** Logs of several containers as one: each begins on a line of its own. */
export async function* joinedLogs(
  logs: AsyncIterable<AsyncIterable<Uint8Array>> | Iterable<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  let last: number | undefined = lineFeed;
  for await (const log of logs) {
    let isFirst = true;
    for await (const chunk of log) {
      if (chunk.length === 0) continue;
      if (isFirst && last !== lineFeed) yield Buffer.from("\n");
      isFirst = false;
      last = chunk.at(-1);
      yield chunk;
    }
  }
}

/**
 * The log without secrets; the times of its lines, which may look like one, stay. Each line is masked by itself; a short one
 * that is a part of a secret is masked where the line before it was.
 */
export async function* maskedLog(
  log: AsyncIterable<readonly LogPiece[]>,
  secrets: readonly string[],
): AsyncGenerator<readonly LogPiece[]> {
  const mask = new LineMask(secrets);
  for await (const pieces of log) yield pieces.flatMap((piece) => mask.push(piece));
  yield [{ bytes: mask.end() }];
}

class LineMask {
  readonly #masker: ReturnType<typeof createMasker>;
  readonly #short: ReadonlySet<string>;
  /** The beginning of a line that may be a short one. */
  #begun: LogPiece | undefined;
  #wasMasked = false;
  #isMasked = false;

  constructor(secrets: readonly string[]) {
    this.#masker = createMasker(secrets);
    this.#short = shortLinesOf(secrets);
  }

  push(piece: LogPiece): LogPiece[] {
    if (piece.id === undefined) {
      if (this.#begun === undefined) return [{ bytes: this.#shown(piece.bytes) }];
      return this.#begin({ ...this.#begun, bytes: Buffer.concat([this.#begun.bytes, piece.bytes]) });
    }
    // What was kept back of the line before did not become a secret.
    const before = { bytes: this.end() };
    this.#wasMasked = this.#isMasked;
    this.#isMasked = false;
    return [before, ...this.#begin(piece)];
  }

  end(): Uint8Array {
    const begun = this.#begun === undefined ? [] : this.#begin(this.#begun, true).map(({ bytes }) => bytes);
    const rest = this.#masker.flush();
    this.#isMasked ||= Buffer.from(rest).includes(maskText);
    return Buffer.concat([...begun, rest]);
  }

  #begin(piece: LogPiece, isLast = false): LogPiece[] {
    const text = Buffer.from(piece.bytes).toString();
    const isWhole = isLast || text.endsWith("\n");
    if (!isWhole && text.length <= longestShortLine + 1 && this.#short.size > 0) {
      this.#begun = piece;
      return [];
    }
    this.#begun = undefined;
    if (this.#wasMasked && isWhole && this.#short.has(text.trim())) {
      this.#isMasked = true;
      return [{ ...piece, bytes: Buffer.from(`${maskText}${text.endsWith("\n") ? "\n" : ""}`) }];
    }
    return [{ ...piece, bytes: this.#shown(piece.bytes) }];
  }

  #shown(bytes: Uint8Array): Uint8Array {
    const shown = this.#masker.push(bytes);
    this.#isMasked ||= Buffer.from(shown).includes(maskText);
    return shown;
  }
}
