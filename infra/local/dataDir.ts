import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { StartRefused } from "./startRefused.ts";

/** Raised when an older program cannot read what is in the folder, or this one cannot read it as it was. */
const dataFormat = 3;
/** Format 2 is converted at the start; format 1 kept the roles of users in a place that is no longer read. */
const oldestFormat = 2;

/** A data folder that this process holds. */
export interface DataDirLock {
  /** Records where the API answers, for commands that look for it. */
  setAddress(address: string): void;
  release(): void;
}

/** The Slipway that uses a data folder. */
export interface RunningSlipway {
  pid: number;
  /** Of its API; undefined while it starts. */
  address: string | undefined;
}

/**
 * Takes the data folder for this process.
 * @throws StartRefused when it cannot be written, another Slipway uses it, or it is of a format that is not read
 */
export function lockDataDir(dataDir: string): DataDirLock {
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
  return {
    setAddress: (address) => {
      // Renamed into place, so that no process reads half of it.
      writeFileSync(`${lockFile}.new`, `${lockText()}\n${address}\n`);
      renameSync(`${lockFile}.new`, lockFile);
    },
    release: () => rmSync(lockFile, { force: true }),
  };
}

/** The Slipway that uses a data folder now. */
export function slipwayIn(dataDir: string): RunningSlipway | undefined {
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
      writeFileSync(lockFile, lockText(), { flag: "wx" });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = holderOf(lockFile);
    if (holder !== undefined)
      throw new StartRefused(
        `another Slipway (process ${holder.pid}) uses the data folder ${dataDir}: stop it, or set SLIPWAY_DATA_DIR to another folder`,
      );
    rmSync(lockFile, { force: true });
  }
}

/** The first line of a lock file: the number of this process and its start. */
const lockText = (): string => `${process.pid} ${startOf(process.pid)}`;

/** The process that holds a data folder by its lock file; one that was killed holds nothing. */
function holderOf(lockFile: string): RunningSlipway | undefined {
  const [, pid = "0", start, address] = /^(\d+) (.+)(?:\n(.+))?/.exec(readLock(lockFile)) ?? [];
  return start !== undefined && startOf(Number(pid)) === start ? { pid: Number(pid), address } : undefined;
}

/** "" where the process that held the folder has just released it. */
function readLock(lockFile: string): string {
  try {
    return readFileSync(lockFile, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

/**
 * When a running process was started, so that a number used again is not taken for it: in clock ticks since the boot where
 * the system has /proc, else as `ps` writes it; "" for a process that has ended, also when its parent has not yet asked how.
 */
function startOf(pid: number): string {
  const [state = "", ...fields] = existsSync("/proc/self/stat") ? procFields(pid) : psFields(pid);
  if (state === "") return isRunning(pid) ? "running" : "";
  return /^[ZXx]/.test(state) ? "" : fields.join(" ");
}

/** State and start of a process by proc(5); empty where they cannot be read. */
function procFields(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [fields[0] ?? "", fields[19] ?? ""];
  } catch {
    return [];
  }
}

/** State and start of a process by ps(1), as on macOS; empty where there is no `ps` or no such process. */
function psFields(pid: number): string[] {
  const { stdout } = spawnSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  return (stdout ?? "").trim().split(/\s+/);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
