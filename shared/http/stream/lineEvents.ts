import type { LogPiece } from "../../base/common/timedLines.ts";

const lineFeed = 10;
const carriageReturn = 13;
const begin = Buffer.from("event:message\ndata:");
/** A carriage return ends a line of an event stream too, so that what follows it needs a field name of its own. */
const goOn = Buffer.from("\ndata:");
const finish = Buffer.from("\n\n");
const comeAgainMilliseconds = 1000;

/** A comment, which clients skip: it tells that the connection lives. */
export const keepAlive = Buffer.from(":\n\n");

/**
 * Turns text as it arrives into server-sent events, one a line, with the id of the line (contract P 10.2). Works on bytes and keeps none of them:
 * a line may be of any length, and a character may be cut anywhere.
 */
export class LineEvents {
  #open = false;
  #heldReturn = false;
  /** Of the line that begins next. */
  #id: string | undefined;

  /** Whether the last event is not finished, so that nothing may come between. */
  get isOpen(): boolean {
    return this.#open;
  }

  push(pieces: readonly LogPiece[]): Buffer {
    const parts: Uint8Array[] = [];
    for (const { id, bytes } of pieces) {
      this.#id = id ?? this.#id;
      this.#piece(bytes, parts);
    }
    return Buffer.concat(parts);
  }

  /**
   * The end of a stream that continues in another one: an unfinished line is no event, so that it comes whole there.
   */
  comeAgain(): Buffer {
    const end = Buffer.from(`${this.#open ? "\n" : ""}retry:${comeAgainMilliseconds}\n${this.#open ? "" : "\n"}`);
    this.#open = false;
    return end;
  }

  #piece(chunk: Uint8Array, parts: Uint8Array[]): void {
    let at = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, at)) {
      this.#text(chunk.subarray(at, end), true, parts);
      this.#open = false;
      parts.push(finish);
      at = end + 1;
    }
    if (at < chunk.length) this.#text(chunk.subarray(at), false, parts);
  }

  /** Finishes an event whose line had no end. */
  end(): Buffer {
    const rest = this.#open ? finish : Buffer.alloc(0);
    this.#open = false;
    this.#heldReturn = false;
    return rest;
  }

  #text(text: Uint8Array, endsLine: boolean, parts: Uint8Array[]): void {
    if (!this.#open) {
      if (this.#id !== undefined) parts.push(Buffer.from(`id:${this.#id}\n`));
      this.#id = undefined;
      parts.push(begin);
    }
    this.#open = true;
    if (this.#heldReturn && !(endsLine && text.length === 0)) parts.push(goOn);
    // Before the line's end it belongs to that end; what comes next will tell.
    const returns = text.at(-1) === carriageReturn;
    this.#heldReturn = returns && !endsLine;
    pushLines(returns ? text.subarray(0, -1) : text, parts);
  }
}

function pushLines(text: Uint8Array, parts: Uint8Array[]): void {
  let at = 0;
  for (let end = text.indexOf(carriageReturn); end >= 0; end = text.indexOf(carriageReturn, at)) {
    parts.push(text.subarray(at, end), goOn);
    at = end + 1;
  }
  if (at < text.length) parts.push(text.subarray(at));
}

/** The last event of a stream that broke. */
export function errorEvent(sentence: string): Buffer {
  return Buffer.from(`event:error\ndata:${sentence.replace(/[\r\n]+/g, " ")}\n\n`);
}
