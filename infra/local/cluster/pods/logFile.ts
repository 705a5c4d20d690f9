import { setTimeout as delay } from "node:timers/promises";
import { hasLostBeginning, OpenLogFile, olderLogFile } from "./logFiles.ts";
import type { LogOptions } from "./logOptions.ts";

const blockBytes = 64 * 1_024;
const followMilliseconds = 50;
const lineFeed = 10;
const space = 32;

/**
 * The lines of a log, of which each begins with its time, block by block as they are asked for; of a long one the
 * beginning is no longer kept, which its first line says. Followed, it continues with what is appended until
 * `isWritten` returns false and everything is read.
 */
export async function* readLog(
  path: string,
  options: Pick<LogOptions, "follow" | "tailLines" | "since" | "timestamps">,
  isWritten: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const place = new LogPlace(path, options.tailLines);
  let rest = options.tailLines === undefined && hasLostBeginning(path) ? lostLine(place.peek()) : Buffer.alloc(0);
  try {
    while (!signal.aborted) {
      // Asked before reading, so that nothing written before the end is missed.
      const goesOn = options.follow && isWritten();
      const block = place.next();
      const all = Buffer.concat([rest, block]);
      const end = all.lastIndexOf(lineFeed) + 1;
      rest = all.subarray(end);
      const text = shownLines(all.subarray(0, end), options);
      if (text.length > 0) yield text;
      if (block.length > 0) continue;
      if (!goesOn) return;
      await delay(followMilliseconds, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    place.close();
  }
}

/** With the time of the first line that is there. */
function lostLine(first: Buffer): Buffer {
  const time = first.toString("latin1", 0, first.indexOf(space) + 1);
  return Buffer.from(`${time}the beginning of this log is not kept\n`);
}

/** How far a log is read: first its older file, then its newest, and on through those that follow. */
class LogPlace {
  readonly #path: string;
  #files: OpenLogFile[] = [];
  #offset = 0;

  constructor(path: string, tailLines: number | undefined) {
    this.#path = path;
    this.#open();
    if (tailLines === undefined) return;
    let left = tailLines;
    // The newest first: what it has not enough of, the one before has.
    for (const [at, file] of [...this.#files.entries()].reverse()) {
      const tail = tailOf(file, left);
      left -= tail.lines;
      this.#offset = tail.offset;
      if (left > 0 && at > 0) continue;
      for (const passed of this.#files.splice(0, at)) passed.close();
      return;
    }
  }

  /** What comes first, without going on. */
  peek(): Buffer {
    return this.#files[0]?.read(this.#offset, blockBytes) ?? Buffer.alloc(0);
  }

  /** What comes next; nothing where everything is read that was written so far. */
  next(): Buffer {
    for (;;) {
      const [file] = this.#files;
      const block = file?.read(this.#offset, blockBytes) ?? Buffer.alloc(0);
      this.#offset += block.length;
      if (block.length > 0) return block;
      if (file !== undefined && this.#files.length === 1 && (file.isAt(this.#path) || !this.#hasGoneOn(file)))
        return block;
      if (file === undefined) {
        this.#open();
        if (this.#files.length === 0) return block;
        continue;
      }
      this.#forward(file);
    }
  }

  close(): void {
    for (const file of this.#files.splice(0)) file.close();
  }

  #open(): void {
    const newest = OpenLogFile.open(this.#path);
    const older = OpenLogFile.open(olderLogFile(this.#path));
    this.#files = [older, newest].filter((file) => file !== undefined);
    this.#offset = 0;
  }

  /** Whether there is a newer file than one that is read to its end. */
  #hasGoneOn(file: OpenLogFile): boolean {
    const newest = OpenLogFile.open(this.#path);
    newest?.close();
    return newest !== undefined && !file.isAt(this.#path);
  }

  #forward(read: OpenLogFile): void {
    this.#files.shift();
    const wasOlder = read.isAt(olderLogFile(this.#path));
    read.close();
    this.#offset = 0;
    if (this.#files.length > 0) return;
    this.#open();
    // It was the newest one and is the older one now: it is read already.
    if (wasOlder && this.#files.length > 1) this.#files.shift()?.close();
  }
}

/** Whole lines without those that are too old, and without their times unless asked for. */
export function shownLines(lines: Buffer, { since, timestamps }: Pick<LogOptions, "since" | "timestamps">): Buffer {
  if (timestamps && since === undefined) return lines;
  const shown: Buffer[] = [];
  for (let at = 0, end = 0; at < lines.length; at = end) {
    end = lines.indexOf(lineFeed, at) + 1;
    const text = lines.indexOf(space, at) + 1;
    const isOld = since !== undefined && Date.parse(lines.toString("latin1", at, text - 1)) < since.getTime();
    if (!isOld) shown.push(lines.subarray(timestamps ? at : text, end));
  }
  return Buffer.concat(shown);
}

/** Where the last `count` lines of a file begin, and how many of them there are. */
function tailOf(file: OpenLogFile, count: number): { offset: number; lines: number } {
  let end = file.size;
  let found = -1;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const block = file.read(start, end - start);
    for (let at = block.lastIndexOf(lineFeed); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(lineFeed, at - 1)) {
      found += 1;
      if (found === count) return { offset: start + at + 1, lines: count };
    }
    end = start;
  }
  // The first line has no end before it.
  return { offset: 0, lines: file.size === 0 ? 0 : found + 1 };
}
