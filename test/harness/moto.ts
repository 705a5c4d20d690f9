import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const folder = join(process.env.SLIPWAY_CI_TOOLS ?? join(tmpdir(), "slipway-ci-tools"), "moto");

export function hasPython(): boolean {
  try {
    execFileSync("python3", ["-m", "venv", "--help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export interface Moto {
  /** `http://127.0.0.1:port`, where it plays all of AWS. */
  url: string;
  close(): Promise<void>;
}

/** Starts moto, which plays AWS; the first start installs it, which takes a minute. */
export async function startMoto(): Promise<Moto> {
  const program = join(folder, "bin", "moto_server");
  if (!existsSync(program)) {
    execFileSync("python3", ["-m", "venv", folder]);
    execFileSync(join(folder, "bin", "pip"), ["install", "-q", "--disable-pip-version-check", "moto[server]==5.2.5"]);
  }
  const child = spawn(program, ["-H", "127.0.0.1", "-p", "0"], { stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    const url = /Running on (http:\/\/\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // Nobody else reads on; a full pipe would stop it.
    child.stderr.resume();
    return {
      url,
      close: async () => {
        const ended = once(child, "exit");
        child.kill("SIGKILL");
        await ended;
      },
    };
  }
  throw new Error(`moto ended: ${said.slice(-5).join("\n")}`);
}
