import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** How the folders of runs begin. */
export const runFolder = "slipway-helm-";

/** Longer than any run: a folder that is older belongs to a process that was killed. */
const longestMs = 3600_000;

/** Removes what killed runs left in a folder; another process that does it at the same time may be faster. */
export async function sweepRuns(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter((name) => name.startsWith(runFolder)).map((name) => join(folder, name))) {
    const made = (await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now();
    // A folder of another user may not be ours to remove.
    if (Date.now() - made > longestMs) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
