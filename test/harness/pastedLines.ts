import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The shell lines of a document, in their order.
 * @param part the heading, of the second level, of the part that is meant; without it the whole document
 */
export function shellLines(document: string, part?: string): string {
  const text = readFileSync(`${root}${document}`, "utf8");
  const found = part === undefined ? text : text.split(/^## /m).find((one) => one.startsWith(`${part}\n`));
  if (found === undefined) throw new Error(`${document} has no part "${part}"`);
  return [...found.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines = ""]) => lines).join("\n");
}

/** Where the lines of a document are to go, instead of what stands in it. */
export interface Reader {
  address: string;
  token: string;
  /** The folder that the terminal is in. */
  folder: string;
  kubeconfig?: string;
}

/** Pastes lines into a new shell as one block. @returns what was printed; fails when the shell did not end in time */
export function paste(lines: string, { address, token, folder, kubeconfig }: Reader, seconds: number): Promise<string> {
  const mine = lines
    .replace(/^export SLIPWAY=.*$/m, `export SLIPWAY=${address}`)
    .replace(/^export TOKEN=.*$/m, `export TOKEN=${token}`);
  const env = { PATH: process.env.PATH, HOME: folder, ...(kubeconfig !== undefined && { KUBECONFIG: kubeconfig }) };
  // A group of its own, so that a loop that never ends goes with the commands it started.
  const shell = spawn("bash", [], { cwd: folder, env, detached: true });
  let printed = "";
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  shell.stdin.end(mine);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => process.kill(-(shell.pid ?? 0), "SIGKILL"), seconds * 1000);
    shell.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(printed);
      else reject(new Error(`the shell ended with ${code ?? `a signal after ${seconds} s`}; it printed:\n${printed}`));
    });
  });
}
