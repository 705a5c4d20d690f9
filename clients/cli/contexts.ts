import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { WrongUsage } from "./endings.ts";

export interface Context {
  address: string;
  token: string;
  /** The data folder of a Slipway that the command line started on this machine. */
  folder?: string;
  /** Whose token it is, where the sign-in said so. */
  account?: string;
  uid?: string;
  /** Of commands that name none. */
  project?: string;
}

export interface Contexts {
  /** Name of the one that commands use. */
  current: string;
  contexts: Record<string, Context>;
}

/** Where sign-ins are kept, readable by their owner alone. */
export function contextsFile(): string {
  return join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "slipway", "contexts.json");
}

/** @throws WrongUsage when the file is no longer what the command line wrote */
export function readContexts(): Contexts {
  let text: string;
  try {
    text = readFileSync(contextsFile(), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { current: "", contexts: {} };
    throw error;
  }
  try {
    const { current, contexts } = JSON.parse(text) as Contexts;
    if (typeof current === "string" && typeof contexts === "object" && contexts !== null) return { current, contexts };
  } catch {
    // Told below.
  }
  throw new WrongUsage(`${contextsFile()} cannot be read: remove it and sign in again with \`slipway login\``);
}

/** Keeps a sign-in under a name and makes it the one that commands use. */
export function saveContext(name: string, context: Context): void {
  const { contexts } = readContexts();
  writeContexts({ current: name, contexts: { ...contexts, [name]: context } });
}

/**
 * Keeps the sign-in at a Slipway that the command line started on this machine: under the name it has, else as `local`, or
 * by its port where another data folder has that name.
 * @param token undefined where the start made none: the one that is kept for the folder stays
 */
export function saveLocalContext(folder: string, address: string, token: string | undefined): void {
  const { current, contexts } = readContexts();
  const known = Object.keys(contexts).find((name) => contexts[name]?.folder === folder);
  const kept = token ?? contexts[known ?? ""]?.token;
  if (kept === undefined) return;
  const isOfAnother = contexts.local?.folder !== undefined && existsSync(contexts.local.folder);
  const name = known ?? (isOfAnother ? `local-${new URL(address).port}` : "local");
  const { project } = contexts[name] ?? {};
  const context = { address, token: kept, folder, account: "admin", ...(project !== undefined && { project }) };
  writeContexts({ current: token === undefined ? current : name, contexts: { ...contexts, [name]: context } });
}

export function writeContexts(contexts: Contexts): void {
  const file = contextsFile();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const written = `${file}.${process.pid}`;
  writeFileSync(written, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  chmodSync(written, 0o600);
  renameSync(written, file);
}
