import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartRefused } from "./startRefused.ts";

/** Raised when what stands in the folder cannot be read by an older program, or by this one as it was. */
const dataFormat = 3;
/** Format 2 is converted at the start; format 1 kept the roles of users where nobody looks any more. */
const oldestFormat = 2;

/**
 * Takes the data folder for this process.
 * @throws StartRefused when it cannot be written, another Slipway uses it, or it is of a format that is not read
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const lockFile = join(dataDir, "slipway.pid");
  try {
    makeFolder(dataDir);
    refuseOtherFormat(join(dataDir, "format"));
    takeLock(lockFile, dataDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof StartRefused || code === undefined) throw error;
    throw new StartRefused(
      `the data folder ${dataDir} cannot be written (${code}): give this user the right to, or set SLIPWAY_DATA_DIR to another folder`,
    );
  }
  return { release: () => rmSync(lockFile, { force: true }) };
}

/** The Slipway that uses a data folder now. */
export function processIn(dataDir: string): number | undefined {
  const lockFile = join(dataDir, "slipway.pid");
  return existsSync(lockFile) ? holderOf(lockFile) : undefined;
}

/** Not Node's recursive one: it never ends where a file system refuses a folder with ENOENT, as automounts do. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

function refuseOtherFormat(formatFile: string): void {
  if (!existsSync(formatFile)) {
    writeFileSync(formatFile, `${dataFormat}\n`);
    return;
  }
  const found = Number(readFileSync(formatFile, "utf8").trim());
  if (!Number.isInteger(found) || found < 1)
    throw new StartRefused(
      `${formatFile} does not say in which format the data is: restore the folder from a copy, or use another folder`,
    );
  if (found < oldestFormat)
    throw new StartRefused(
      `the data folder holds format ${found}, this version reads ${oldestFormat} and later: use another folder, or the version that wrote it`,
    );
  if (found > dataFormat)
    throw new StartRefused(
      `the data folder holds format ${found}, this version reads up to ${dataFormat}: start the newer version, or use another folder`,
    );
}

/** The file is made exclusively; one that a killed process left names a process that runs no longer. */
function takeLock(lockFile: string, dataDir: string): void {
  for (;;) {
    try {
      writeFileSync(lockFile, `${process.pid} ${startOf(process.pid)}`, { flag: "wx" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const pid = holderOf(lockFile);
    if (pid !== undefined)
      throw new StartRefused(
        `another Slipway (process ${pid}) uses the data folder ${dataDir}: stop it, or set SLIPWAY_DATA_DIR to another folder`,
      );
    rmSync(lockFile, { force: true });
  }
}

/** The process that holds a data folder by its lock file; one that was killed holds nothing. */
function holderOf(lockFile: string): number | undefined {
  const [pid = 0, start = ""] = readFileSync(lockFile, "utf8").split(" ");
  return start !== "" && startOf(Number(pid)) === start ? Number(pid) : undefined;
}

/**
 * When a running process was started, in clock ticks since the boot, so that a number used again is not taken for it; ""
 * for one that has ended, also when its parent has not yet asked how.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ended.has(state) ? "" : (fields[18] ?? "");
  } catch {
    return isRunning(pid) ? "running" : "";
  }
}

/** Zombie and dead, as proc(5) names the states. */
const ended = new Set(["Z", "X", "x"]);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
