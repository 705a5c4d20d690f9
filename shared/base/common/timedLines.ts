/** Part of a log. `id` is present where a line begins with it: `<time>.<n>`, for the n-th line of that time, from 0. */
export interface LogPiece {
  id?: string;
  bytes: Uint8Array;
}

/** A line that a client has seen. */
export interface LogPosition {
  /** As the cluster wrote it: RFC 3339 with up to nine digits of a second. */
  time: string;
  /** Which of the lines of that time. */
  n: number;
}

const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const longestTime = 35;
const lineFeed = 10;
const space = 32;

/** Reads the id of an event; undefined for what is none. */
export function logPositionOf(id: string): LogPosition | undefined {
  const [, written = "", n = ""] = /^(.{20,35})\.(\d{1,9})$/.exec(id) ?? [];
  return time.test(written) ? { time: written, n: Number(n) } : undefined;
}

/** From when on a cluster has to send its lines so that the one of a position is among them; whole seconds, as it takes them. */
export function sinceTimeOf(position: LogPosition): string {
  return `${new Date((secondOf(position.time) - 1) * 1000).toISOString().slice(0, 19)}Z`;
}

/**
 * Takes the time off each line of a log in which every line begins with one. Lines up to and including `after` are left
 * out; where that line is no longer in the log, it continues with the first later one. A line without a time is shown
 * as it is.
 */
export async function* timedLines(
  log: AsyncIterable<Uint8Array>,
  after?: LogPosition,
): AsyncGenerator<readonly LogPiece[]> {
  const lines = new TimedLines(after);
  try {
    for await (const chunk of log) {
      const pieces = lines.push(chunk);
      if (pieces.length > 0) yield pieces;
    }
  } catch (error) {
    yield lines.end();
    throw error;
  }
  yield lines.end();
}

/** A log as its text alone. */
export async function* textOfPieces(log: AsyncIterable<readonly LogPiece[]>): AsyncGenerator<Uint8Array> {
  for await (const pieces of log) yield Buffer.concat(pieces.map(({ bytes }) => bytes));
}

class TimedLines {
  #searched: LogPosition | undefined;
  /** The beginning of a line whose time is not read yet; undefined inside a line. */
  #head: Buffer | undefined = Buffer.alloc(0);
  #hidden = false;
  #last: LogPosition = { time: "", n: 0 };

  constructor(after: LogPosition | undefined) {
    this.#searched = after;
  }

  push(chunk: Uint8Array): LogPiece[] {
    const pieces: LogPiece[] = [];
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    while (rest.length > 0) {
      const end = rest.indexOf(lineFeed) + 1 || rest.length;
      this.#part(rest.subarray(0, end), pieces);
      rest = rest.subarray(end);
    }
    return pieces;
  }

  end(): LogPiece[] {
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    return head === undefined || head.length === 0 ? [] : [{ bytes: head }];
  }

  /** What belongs to one line, its end perhaps. */
  #part(part: Buffer, pieces: LogPiece[]): void {
    const ends = part.at(-1) === lineFeed;
    if (this.#head === undefined) this.#show({ bytes: part }, pieces);
    else {
      const head = Buffer.concat([this.#head, part]);
      const at = head.indexOf(space);
      if (at < 0 && !ends && head.length <= longestTime) {
        this.#head = head;
        return;
      }
      this.#begin(head, at, pieces);
    }
    this.#head = ends ? Buffer.alloc(0) : undefined;
  }

  #begin(head: Buffer, at: number, pieces: LogPiece[]): void {
    const written = at < 0 ? "" : head.toString("latin1", 0, Math.min(at, longestTime + 1));
    if (!time.test(written)) {
      this.#hidden = false;
      this.#show({ bytes: head }, pieces);
      return;
    }
    this.#last = { time: written, n: written === this.#last.time ? this.#last.n + 1 : 0 };
    this.#hidden = this.#isSeen();
    this.#show({ id: `${written}.${this.#last.n}`, bytes: head.subarray(at + 1) }, pieces);
  }

  /** Looks for the line that was seen last; everything behind it is new. */
  #isSeen(): boolean {
    const searched = this.#searched;
    if (searched === undefined) return false;
    const difference = compareTimes(this.#last.time, searched.time) || this.#last.n - searched.n;
    if (difference >= 0) this.#searched = undefined;
    return difference <= 0;
  }

  #show(piece: LogPiece, pieces: LogPiece[]): void {
    if (!this.#hidden) pieces.push(piece);
  }
}

function secondOf(written: string): number {
  const [, second = "", , zone = ""] = time.exec(written) ?? [];
  return Date.parse(second + zone) / 1000;
}

function compareTimes(a: string, b: string): number {
  return secondOf(a) - secondOf(b) || fractionOf(a) - fractionOf(b);
}

/** Nanoseconds. */
function fractionOf(written: string): number {
  return Number((time.exec(written)?.[2] ?? "").padEnd(9, "0"));
}
