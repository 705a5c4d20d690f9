import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isStorageFull } from "../../../../shared/base/errors/storageFull.ts";
import { logFileBytes, olderLogFile, startLogFile } from "./logFiles.ts";
import type { PlannedContainer, PodPlan } from "./plan.ts";

/**
 * Runs the containers of one pod as processes and keeps `state.json` in the pod's folder up to date. A process of its
 * own, so that pods outlive the sandbox: started as `node shim.ts <folder>`.
 */
export interface ContainerRun {
  phase: "waiting" | "running" | "terminated";
  restarts: number;
  startedAt?: string;
  finishedAt?: string;
  exitCode?: number;
  signal?: string;
  message?: string;
}

export interface ShimState {
  pid: number;
  containers: Record<string, ContainerRun>;
  /** Set once nothing runs. */
  done?: "Succeeded" | "Failed";
  reason?: string;
}

const noCommand = "the sandbox runs commands, not images";
const messageLimitBytes = 4_096;
const saveAgainMilliseconds = 500;

class Shim {
  readonly #folder: string;
  readonly #plan: PodPlan;
  readonly #state: ShimState = { pid: process.pid, containers: {} };
  readonly #children = new Set<ChildProcess>();
  #stopping = false;
  #savingAgain: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.#plan = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
    for (const { name } of [...this.#plan.initContainers, ...this.#plan.containers]) {
      this.#state.containers[name] = { phase: "waiting", restarts: 0 };
    }
  }

  async run(): Promise<void> {
    this.#save();
    process.on("SIGTERM", () => this.stop());
    const seconds = this.#plan.activeDeadlineSeconds;
    const deadline = seconds === undefined ? undefined : setTimeout(() => this.#expire(), seconds * 1_000);
    const succeeded = await this.#runAll();
    clearTimeout(deadline);
    this.#state.done = succeeded && !this.#state.reason ? "Succeeded" : "Failed";
    this.#save();
  }

  /** Ends all processes: politely first, by force when the grace period has ended. */
  stop(): void {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#signal("SIGTERM");
    setTimeout(() => this.#signal("SIGKILL"), this.#plan.graceSeconds * 1_000).unref();
  }

  #expire(): void {
    this.#state.reason = "DeadlineExceeded";
    this.stop();
  }

  #signal(signal: NodeJS.Signals): void {
    for (const child of this.#children) {
      try {
        if (child.pid) process.kill(-child.pid, signal);
      } catch {
        // The group is gone already.
      }
    }
  }

  async #runAll(): Promise<boolean> {
    for (const container of this.#plan.initContainers) {
      if (this.#stopping || !(await this.#runContainer(container))) return false;
    }
    if (this.#stopping) return false;
    const ends = await Promise.all(this.#plan.containers.map((container) => this.#runContainer(container)));
    return ends.every(Boolean);
  }

  async #runContainer(container: PlannedContainer): Promise<boolean> {
    for (let restarts = 0; ; restarts++) {
      const exitCode = await this.#runOnce(container, restarts);
      if (exitCode === 0 || this.#stopping || !this.#plan.restartOnFailure) return exitCode === 0;
      await new Promise((resolve) => setTimeout(resolve, Math.min(1_000 * 2 ** restarts, 30_000)));
      if (this.#stopping) return false;
    }
  }

  async #runOnce(container: PlannedContainer, restarts: number): Promise<number> {
    const startedAt = now();
    this.#set(container.name, { phase: "running", restarts, startedAt });
    const end = await this.#execute(container);
    const message = messageOf(container, end.exitCode);
    this.#set(container.name, {
      phase: "terminated",
      restarts,
      startedAt,
      finishedAt: now(),
      exitCode: end.exitCode,
      ...(end.signal ? { signal: end.signal } : {}),
      ...(message ? { message } : {}),
    });
    return end.exitCode;
  }

  #execute(container: PlannedContainer): Promise<{ exitCode: number; signal?: string }> {
    const [file, ...args] = container.command;
    if (!file) {
      log(container, `${noCommand}\n`);
      return Promise.resolve({ exitCode: 127 });
    }
    return new Promise((resolve) => {
      const { workingDir: cwd, environment: env } = container;
      const child = spawn(file, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
      this.#children.add(child);
      const lines = [child.stdout, child.stderr].map((stream) => collectLines(container, stream));
      child.on("error", (error) => log(container, `${error.message}\n`));
      child.on("close", (code, signal) => {
        for (const flush of lines) flush();
        this.#children.delete(child);
        // What the command left behind in its group goes with it, as with a container.
        if (child.pid) killGroup(child.pid);
        resolve(
          signal
            ? { exitCode: 128 + signalNumber(signal), signal }
            : { exitCode: code === null || code < 0 ? 127 : code },
        );
      });
    });
  }

  #set(name: string, run: ContainerRun): void {
    this.#state.containers[name] = run;
    this.#save();
  }

  /** While the disk is full it is tried again, and the process does not end: only this one knows how the pod ended. */
  #save(): void {
    const path = join(this.#folder, "state.json");
    clearTimeout(this.#savingAgain);
    try {
      writeFileSync(`${path}.new`, JSON.stringify(this.#state));
      renameSync(`${path}.new`, path);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      this.#savingAgain = setTimeout(() => this.#save(), saveAgainMilliseconds);
    }
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}

function signalNumber(signal: NodeJS.Signals): number {
  return signal === "SIGKILL" ? 9 : signal === "SIGTERM" ? 15 : signal === "SIGINT" ? 2 : 1;
}

function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

/** Writes a log line by line, each with its time in front; the returned function writes a last unfinished line. */
function collectLines(container: PlannedContainer, stream: NodeJS.ReadableStream): () => void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    const end = chunk.lastIndexOf("\n") + 1;
    if (end > 0) log(container, rest + chunk.slice(0, end));
    rest = end > 0 ? chunk.slice(end) : rest + chunk;
    if (rest.length < longestLine) return;
    log(container, `${rest}\n`);
    rest = "";
  });
  return () => {
    if (rest !== "") log(container, `${rest}\n`);
    rest = "";
  };
}

/** Characters after which a line goes on in the next one: readers hold a whole line. */
const longestLine = 256 * 1024;

/** How many lines of a log were dropped since it was last written. */
const dropped = new Map<string, number>();

/** Appends whole lines, or none where the disk is full; once there is room the log says how many are missing. */
function log({ logPath }: PlannedContainer, text: string): void {
  const lines = text.slice(0, -1).split("\n");
  const lost = dropped.get(logPath) ?? 0;
  const missing = lost === 0 ? [] : [`${lost} lines are missing: the disk was full`];
  const sizeBytes = existsSync(logPath) ? statSync(logPath).size : 0;
  try {
    appendFileSync(logPath, [...missing, ...lines].map((line) => `${nextTime()} ${line}\n`).join(""));
    dropped.delete(logPath);
    if (sizeBytes >= logFileBytes) startLogFile(logPath);
  } catch (error) {
    if (!isStorageFull(error)) throw error;
    dropped.set(logPath, lost + lines.length);
    if (existsSync(logPath)) truncateSync(logPath, sizeBytes);
  }
}

let last = { milliseconds: 0, lines: 0, written: "" };

/** To the nanosecond, as container runtimes write it, and different for every line. */
function nextTime(): string {
  const milliseconds = Math.max(Date.now(), last.milliseconds);
  if (milliseconds === last.milliseconds) last.lines += 1;
  else last = { milliseconds, lines: 0, written: new Date(milliseconds).toISOString().slice(0, -1) };
  return `${last.written}${String(last.lines).padStart(6, "0")}Z`;
}

function messageOf(container: PlannedContainer, exitCode: number): string {
  const written = readFileSync(container.terminationPath).subarray(0, messageLimitBytes).toString("utf8");
  if (written !== "" || exitCode === 0 || !container.messageFromLog || !existsSync(container.logPath)) return written;
  const files = [olderLogFile(container.logPath), container.logPath].filter((path) => existsSync(path));
  const lines = files
    .map((path) => readFileSync(path, "utf8"))
    .join("")
    .trimEnd()
    .split("\n")
    .slice(-80);
  return lines
    .map((line) => line.slice(line.indexOf(" ") + 1))
    .join("\n")
    .slice(-2_048);
}

const folder = process.argv[2];
if (folder && import.meta.main) await new Shim(folder).run();
