import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Answer, type CallOptions, call } from "./slipway.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Node as `npm start` finds it, whatever runs the tests. */
const node = `${root}node_modules/.bin/node`;

/** What `npm start` gives it. */
const [, ...start] = (JSON.parse(readFileSync(`${root}package.json`, "utf8")).scripts.start as string).split(" ");

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  errors: string;
}

export interface Program {
  pid: number;
  url: string;
  /** Seconds of processor time until the address was printed, which other work on the machine does not change. */
  startSeconds: number;
  /** Everything printed so far. */
  output(): string;
  /** What stands behind a label of the first lines, e.g. `Data folder`. */
  printed(label: string): string | undefined;
  call<T = Record<string, never>>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ending>;
}

/** Settings of a start; `undefined` leaves a variable out. */
export type Settings = Record<string, string | undefined>;

/**
 * The environment of a program: nothing of the surrounding one that Slipway or Node would heed. Compiling takes most of a
 * start; what one program compiled the next one finds.
 */
export function programEnvironment(settings: Settings): Settings {
  const clean = Object.entries(process.env).filter(([name]) => !/^(SLIPWAY_|KUBECONFIG$|NODE_OPTIONS$)/.test(name));
  return { ...Object.fromEntries(clean), NODE_COMPILE_CACHE: join(tmpdir(), "slipway-compile-cache"), ...settings };
}

function launch(settings: Settings) {
  const env = programEnvironment({ SLIPWAY_PORT: "0", SLIPWAY_REGISTRY_PORT: "0", ...settings });
  const child = spawn(node, start, { env, cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const texts = { output: "", errors: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    texts.output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    texts.errors += text;
  });
  const ended = once(child, "close").then(([code, signal]): Ending => ({ code, signal, ...texts }));
  return { child, texts, ended };
}

/** Starts Slipway as `npm start` does and waits until it says where it is; fails with what it printed when it ends. */
export async function startProgram(settings: Settings): Promise<Program> {
  const { child, texts, ended } = launch(settings);
  const printed = (label: string) => new RegExp(`^${label} +(\\S+)`, "m").exec(texts.output)?.[1];
  while (printed("Outbound addresses") === undefined) {
    const early = await Promise.race([once(child.stdout, "data").then(() => undefined), ended]);
    if (early !== undefined) throw new Error(`Slipway ended with ${early.code}: ${early.errors}${early.output}`);
  }
  const url = printed("Slipway runs at") ?? "";
  return {
    pid: child.pid ?? 0,
    url,
    startSeconds: processorSeconds(child.pid ?? 0),
    output: () => texts.output + texts.errors,
    printed,
    call: (method, path, options) => call(url, method, path, options),
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** User and system time of a process, of which /proc counts a hundred ticks a second: proc(5), fields 14 and 15. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}

/** Starts Slipway where it is expected to refuse, and tells how it ended; killed after 20 seconds. */
export async function refusedStart(settings: Settings): Promise<Ending> {
  const { child, ended } = launch(settings);
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  try {
    return await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Command lines of the processes that name a folder, by process id. */
export function processesNaming(folder: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      if (command.includes(folder)) found.set(Number(name), command);
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}
