import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export interface CopyRun {
  problem: string;
  /** Without the start of the process. */
  milliseconds: number;
  /** Most memory of the process, beyond what it had when the copy began. */
  grownBytes: number;
}

/**
 * Copies images one after another in a process of its own, and tells of the last: names from and to in turns, each
 * `127.0.0.1:port/repository:tag`.
 */
export async function runCopy(...images: string[]): Promise<CopyRun> {
  const script = fileURLToPath(new URL("./copyOnce.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...images]);
  return JSON.parse(stdout) as CopyRun;
}
