import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../clients/cli/main.ts", import.meta.url));

export interface Ended {
  code: number;
  out: string;
  err: string;
}

function start(env: Record<string, string>, words: readonly string[]) {
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, HOME: "/nowhere", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.err += text;
  });
  return { child, said };
}

/** A command that goes on: what it has said so far, until it is stopped as by Ctrl-C. */
export function following(env: Record<string, string>): (...words: string[]) => {
  said: { readonly out: string; readonly err: string };
  stop(): Promise<void>;
} {
  return (...words) => {
    const { child, said } = start(env, words);
    const ended = once(child, "close");
    const stop = async () => {
      child.kill("SIGINT");
      await ended;
    };
    return { said, stop };
  };
}

/** Runs the command line as a script would: without a terminal, its output in a pipe. */
export function slipwayProgram(env: Record<string, string>): (...words: string[]) => Promise<Ended> {
  return (...words) =>
    new Promise((done, fail) => {
      const { child, said } = start(env, words);
      child.once("error", fail);
      child.once("close", (code) => done({ ...said, code: code ?? -1 }));
    });
}
