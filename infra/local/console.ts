import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { consoleFiles, page } from "../../functions/api/meta/consoleFiles.ts";
import type { ApiHandler } from "../../shared/http/createApi.ts";
import { consoleBuild, consoleOutput, isConsoleBuilt } from "../builtConsole.ts";

export interface LocalConsole {
  handle: ApiHandler;
  close(): Promise<void>;
}

const missingPackages =
  "Where packages are missing, `npm ci --include=optional` in the folder of Slipway installs them; then start Slipway again.";

/**
 * The console's pages. When its files are missing or older than their sources they are built in the background, which
 * takes seconds; until then, and when that fails, each page says so.
 */
export function startConsole(): LocalConsole {
  let answer = () =>
    page(503, "The console is being built", "This takes a few seconds. The page comes back by itself.");
  const closing = new AbortController();
  let handle: ApiHandler | undefined = isConsoleBuilt() ? consoleFiles(consoleOutput) : undefined;
  const building = handle === undefined ? build(closing.signal) : Promise.resolve("");
  building.then((problem) => {
    if (problem === "") handle ??= consoleFiles(consoleOutput);
    else answer = () => page(500, "The console could not be built", `${problem.trim()}\n\n${missingPackages}`);
  });
  return {
    handle: async (event, context) => handle?.(event, context) ?? answer(),
    close: async () => {
      closing.abort();
      await building;
    },
  };
}

/** @returns what went wrong, empty when nothing did */
function build(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [consoleBuild], {
      cwd: dirname(consoleBuild),
      signal,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let told = "";
    child.stderr.on("data", (chunk: Buffer) => {
      told = (told + chunk.toString()).slice(-2000);
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code === 0 ? "" : told || `the build ended with code ${code}`));
  });
}
