import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of Slipway: of a checkout, or of the npm package that `infra/npm/pack.ts` makes of it. */
export const root = join(import.meta.dirname, "..");

/** Whether this is the npm package: its programs are bundles, and the console in it is built. */
export const isPackage = import.meta.filename.endsWith(".js");

/** Run by Node.js, it is Slipway on one machine. */
export const localProgram = join(root, isPackage ? "lib/local.js" : "infra/local/main.ts");

/** Where compiled code of the command line is kept. The folder of a package may belong to another user. */
export const compileCache = isPackage
  ? join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "slipway")
  : join(root, "node_modules/.cache/slipway-command-line");

export function readVersion(): string {
  return (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;
}
