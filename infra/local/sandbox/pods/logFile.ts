import { closeSync, openSync, readSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { LogOptions } from "./logOptions.ts";

const blockBytes = 64 * 1_024;
const followMilliseconds = 50;
const lineFeed = 10;
const space = 32;

/**
 * The lines of a log file, of which each begins with its time, block by block as they are asked for. Followed, it goes on
 * with what is appended until `isWritten` says no and everything is read.
 */
export async function* readLog(
  path: string,
  options: Pick<LogOptions, "follow" | "tailLines" | "since" | "timestamps">,
  isWritten: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let offset = options.tailLines === undefined ? 0 : tailOffset(path, options.tailLines);
  let rest = Buffer.alloc(0);
  while (!signal.aborted) {
    // Asked before reading, so that nothing written before the end is missed.
    const goesOn = options.follow && isWritten();
    const block = readBlock(path, offset, blockBytes);
    offset += block.length;
    const all = Buffer.concat([rest, block]);
    const end = all.lastIndexOf(lineFeed) + 1;
    rest = all.subarray(end);
    const text = shownLines(all.subarray(0, end), options);
    if (text.length > 0) yield text;
    if (block.length > 0) continue;
    if (!goesOn) return;
    await delay(followMilliseconds, undefined, { signal }).catch(() => undefined);
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

/** Where the last `count` lines begin. */
function tailOffset(path: string, count: number): number {
  let end = sizeOf(path);
  let left = count + 1;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const block = readBlock(path, start, end - start);
    for (let at = block.lastIndexOf(lineFeed); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(lineFeed, at - 1)) {
      left -= 1;
      if (left === 0) return start + at + 1;
    }
    end = start;
  }
  return 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readBlock(path: string, offset: number, length: number): Buffer {
  if (offset >= sizeOf(path)) return Buffer.alloc(0);
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, offset));
  } finally {
    closeSync(file);
  }
}
