import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registryPasswordFile } from "../../infra/local/registryLogin.ts";
import type { Caller } from "../harness/boutique.ts";
import { processesNaming, programEnvironment } from "../harness/program.ts";
import { call } from "../harness/slipway.ts";
import { bundledChild } from "./bundledChild.ts";
import type { Order, Started } from "./child.ts";
import { victimsRegistryLogin } from "./versionCalls.ts";
import type { Aim } from "./writeCounter.ts";

/** A Slipway in a process of its own that can be killed at a chosen write. */
export interface Victim extends Caller, Started {
  dataDir: string;
  aim(aim: Aim): Promise<void>;
  writes(): Promise<string[]>;
  /** Settles when the process has ended. */
  ended: Promise<NodeJS.Signals | number>;
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface VictimOptions {
  podDelayMilliseconds?: number;
  /** Writes are counted from the start on. */
  aim?: Aim;
}

/** @throws Error when the program ends before it answers, as one does that is killed while it starts */
export async function startVictim(
  dataDir: string,
  { podDelayMilliseconds = 0, aim }: VictimOptions = {},
): Promise<Victim> {
  const env = programEnvironment({
    SLIPWAY_LOG_FILE: join(dataDir, "log.ndjson"),
    SLIPWAY_TEST_NO_FSYNC: "1",
  });
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(registryPasswordFile(dataDir), victimsRegistryLogin.password);
  const words = [dataDir, String(podDelayMilliseconds), ...(aim === undefined ? [] : [JSON.stringify(aim)])];
  const child = fork(await bundledChild(), words, { env, execArgv: [] });
  const ended = once(child, "exit").then(([code, signal]): NodeJS.Signals | number => signal ?? code);
  const early = ended.then((how): Started => {
    throw new Error(`the program ended with ${how}`);
  });
  const started = await Promise.race([once(child, "message").then(([message]) => message as Started), early]);
  early.catch(() => {});
  return {
    ...started,
    ended,
    call: (method, path, callOptions) => call(started.url, method, path, callOptions),
    dataDir,
    aim: async (target) => void (await ask(child, { aim: target })),
    writes: async () => (await ask(child, { listWrites: true })) as string[],
    end: async (signal) => {
      child.kill(signal);
      await ended;
    },
  };
}

async function ask(child: ChildProcess, order: Order): Promise<unknown> {
  child.send(order);
  const [answer] = await once(child, "message");
  return answer;
}

/** Folders of one suite: a state is prepared once and copied for every run. */
export class Folders {
  /** None of a suite that is left out. */
  #root: string | undefined;
  #made = 0;

  empty(): string {
    this.#root ??= mkdtempSync(join(tmpdir(), "slipway-crash-"));
    this.#made += 1;
    return join(this.#root, `run-${this.#made}`);
  }

  copyOf(folder: string): string {
    const copy = this.empty();
    cpSync(folder, copy, { recursive: true });
    return copy;
  }

  /** Removes them, and what the killed left running in them. */
  remove(folder = this.#root): void {
    if (folder === undefined) return;
    for (const pid of processesNaming(folder).keys()) process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}
