import { spawn } from "node:child_process";
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { GatewayGroup } from "../gateway.ts";
import { consoleFiles, page } from "./files.ts";

const project = join(import.meta.dirname, "../../..");
const root = join(project, "console");

export interface LocalConsole {
  group: GatewayGroup;
  close(): Promise<void>;
}

/**
 * The console at `/console/`. When its files are missing or older than their sources they are built in the background,
 * which takes seconds; until then, and when that fails, each page says so.
 */
export function startConsole(): LocalConsole {
  let answer = () =>
    page(503, "The console is being built", "This takes a few seconds. The page comes back by itself.");
  const closing = new AbortController();
  const serve = (): GatewayGroup["handle"] => consoleFiles(join(root, "dist"));
  let handle: GatewayGroup["handle"] | undefined = isBuilt() ? serve() : undefined;
  const building = handle === undefined ? build(closing.signal) : Promise.resolve("");
  building.then((problem) => {
    if (problem === "") handle ??= serve();
    else answer = () => page(500, "The console could not be built", problem);
  });
  return {
    group: { prefixes: ["/console"], handle: async (event, context) => handle?.(event, context) ?? answer() },
    close: async () => {
      closing.abort();
      await building;
    },
  };
}

function isBuilt(): boolean {
  const built = join(root, "dist/index.html");
  if (!existsSync(built)) return false;
  const files = [join(root, "src"), join(project, "clients/typescript")].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry: Dirent) => entry.isFile())
      .map((entry: Dirent) => join(entry.parentPath, entry.name)),
  );
  const builtAt = statSync(built).mtimeMs;
  const sources = [...files, ...["index.html", "build.ts", "package.json"].map((name) => join(root, name))];
  return sources.every((file) => statSync(file).mtimeMs <= builtAt);
}

/** @returns what went wrong, empty when nothing did */
function build(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(root, "build.ts")], {
      cwd: root,
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
