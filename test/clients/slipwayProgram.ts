import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../clients/cli/main.ts", import.meta.url));

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs the command line as a script would: without a terminal, its output in a pipe. */
export function slipwayProgram(env: Record<string, string>): (...words: string[]) => Promise<Ended> {
  return (...words) =>
    new Promise((done, fail) => {
      const child = spawn(process.execPath, [program, ...words], {
        env: { PATH: process.env.PATH, HOME: "/nowhere", ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = { out: "", err: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        ended.out += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        ended.err += text;
      });
      child.once("error", fail);
      child.once("close", (code) => done({ ...ended, code: code ?? -1 }));
    });
}
