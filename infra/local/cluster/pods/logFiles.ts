import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";

/** After so many bytes a container's log begins a new file, as on a node; the one before is kept, and none older. */
export const logFileBytes = 16 * 1024 * 1024;

/** Where the file before the newest one is. */
export const olderLogFile = (path: string): string => `${path}.1`;

/** Marks that a file older than these two was there. */
const lostMark = (path: string): string => `${path}.lost`;

/** Makes the newest file the older one; the next line makes a new one. */
export function startLogFile(path: string): void {
  if (existsSync(olderLogFile(path))) writeFileSync(lostMark(path), "");
  renameSync(path, olderLogFile(path));
}

/** Whether the beginning of a log is no longer kept. */
export function hasLostBeginning(path: string): boolean {
  return existsSync(lostMark(path));
}

/** One file of a log, which stays open while it is read: it may become the older one, or go. */
export class OpenLogFile {
  readonly #descriptor: number;

  private constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** @returns undefined where there is no such file */
  static open(path: string): OpenLogFile | undefined {
    return existsSync(path) ? new OpenLogFile(openSync(path, "r")) : undefined;
  }

  read(offset: number, length: number): Buffer {
    const buffer = Buffer.alloc(Math.min(length, Math.max(0, this.size - offset)));
    return buffer.subarray(0, readSync(this.#descriptor, buffer, 0, buffer.length, offset));
  }

  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  /** Whether it is the file at a path now. */
  isAt(path: string): boolean {
    return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(this.#descriptor).ino;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
