import { mkdir, open, readdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Puts a finished temporary file in its place so that after a crash or power cut the place holds all of it or nothing:
 * file to disk, rename, folder to disk. Both must be on one file system. Fails with the file system's error.
 */
export async function moveDurably(temporary: string, target: string): Promise<void> {
  await syncPath(temporary, "r+");
  await ensureDirectory(dirname(target));
  await rename(temporary, target);
  await syncPath(dirname(target));
}

/** Writes a small file by way of `temporary`, with the promise of `moveDurably`; where it fails it leaves nothing. */
export async function writeDurably(temporary: string, target: string, content: string | Uint8Array): Promise<void> {
  try {
    await writeFile(temporary, content, { flag: "wx", mode: 0o600 });
    await moveDurably(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Removes a file for good; false when there was none. */
export async function removeDurably(path: string): Promise<boolean> {
  const found = await absentIs(
    undefined,
    unlink(path).then(() => true),
  );
  if (found === undefined) return false;
  await syncPath(dirname(path));
  return true;
}

export function readIfPresent(path: string): Promise<Buffer | undefined> {
  return absentIs(undefined, readFile(path));
}

/** The names in a folder, none when it does not exist. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await absentIs(undefined, readdir(directory))) ?? [];
}

/** The outcome of a file operation, or `otherwise` when the file or its folder does not exist. */
export async function absentIs<T, U>(otherwise: U, operation: Promise<T>): Promise<T | U> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return otherwise;
    throw error;
  }
}

async function ensureDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // A new folder is only there after a power cut when the folder above it was written too.
  for (let current = directory; current.length >= first.length; current = dirname(current)) {
    await syncPath(dirname(current));
  }
}

async function syncPath(path: string, flags = "r"): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
