import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { slipwayIn } from "../../infra/local/dataDir.ts";
import { isPackage, localProgram, root } from "../../infra/program.ts";
import { saveLocalContext } from "./contexts.ts";
import { DeadlinePassed, WorkFailed } from "./endings.ts";

/** A folder of manifests to begin with. */
export const exampleFolder = join(root, "examples/online-boutique");

const startSeconds = 60;
const lookMilliseconds = 50;

export interface Start {
  port: string;
  /** The data folder, as an absolute path. */
  folder: string;
  /** Shows the output instead of writing it to `up.log`, and ends with this command. */
  foreground?: boolean;
  /** Uses the sandbox cluster, whatever KUBECONFIG says. */
  sandbox?: boolean;
}

export interface Started {
  address: string;
  /** Of the administrator, where this start made one up. */
  password: string | undefined;
  /** Its exit code, once it has ended. */
  ended: Promise<number>;
}

/**
 * Starts Slipway on this machine and waits until it answers. The first start makes an administrator and signs in.
 * @throws WorkFailed with what Slipway said when it did not start @throws DeadlinePassed
 */
export async function startSlipway({ port, folder, foreground = false, sandbox = false }: Start): Promise<Started> {
  // A first start that failed is repeated as one: the token and the password that it made were never shown.
  const unfinished = join(folder, "first-start");
  const isFirst = !existsSync(folder) || existsSync(unfinished);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isFirst) writeFileSync(unfinished, "");
  const { SLIPWAY_ADMIN_TOKEN: chosenToken, SLIPWAY_ADMIN_PASSWORD: chosenPassword } = process.env;
  // Who has data already has a token; a new one would end those that people use.
  const token = chosenToken || (isFirst ? `local-${randomBytes(24).toString("base64url")}` : undefined);
  // With letters of both cases and a digit, whatever comes out, as passwords need them.
  const password = isFirst && !chosenPassword ? `Sw1-${randomBytes(12).toString("base64url")}` : undefined;

  const log = join(folder, "up.log");
  const output = foreground ? undefined : openSync(log, "w", 0o600);
  const child = spawn(
    process.execPath,
    ["--max-semi-space-size=8", "--disable-warning=ExperimentalWarning", localProgram],
    {
      cwd: root,
      detached: !foreground,
      stdio: output === undefined ? "inherit" : ["ignore", output, output],
      env: {
        ...process.env,
        ...{ SLIPWAY_PORT: port, SLIPWAY_DATA_DIR: folder },
        ...(token !== undefined && { SLIPWAY_ADMIN_TOKEN: token }),
        ...(password !== undefined && { SLIPWAY_ADMIN_PASSWORD: password }),
        ...(sandbox && { KUBECONFIG: undefined }),
        // In a package the program is one file, which is compiled before it could ask for this itself.
        ...(isPackage && { NODE_COMPILE_CACHE: join(folder, "compiled") }),
      },
    },
  );
  const ended = new Promise<number>((done) => child.once("exit", (code) => done(code ?? 1)));
  // Ctrl-C does not reach a process in the background, and no one would know its token.
  const giveUp = (): void => {
    child.kill("SIGTERM");
    process.exit(130);
  };
  if (!foreground) process.once("SIGINT", giveUp);
  const address = await addressOf(child, folder, foreground ? undefined : log);
  process.off("SIGINT", giveUp);
  saveLocalContext(folder, address, token);
  rmSync(unfinished, { force: true });
  if (!foreground) child.unref();
  return { address, password, ended };
}

/** Looks until the process has written where it answers. */
async function addressOf(child: ChildProcess, folder: string, log: string | undefined): Promise<string> {
  const end = performance.now() + startSeconds * 1000;
  while (performance.now() < end) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new WorkFailed(`Slipway did not start${log === undefined ? "" : `: ${complaint(log)}`}`);
    const running = slipwayIn(folder);
    if (running?.pid === child.pid && running?.address !== undefined) return running.address;
    await pause(lookMilliseconds);
  }
  throw new DeadlinePassed(
    `Slipway does not answer after ${startSeconds} s${log === undefined ? "" : `; ${log} has its output`}`,
  );
}

/** What Slipway said, as part of a sentence of a command that sets the port by an option. */
const complaint = (log: string): string =>
  readFileSync(log, "utf8")
    .trim()
    .replace(/^slipway: /, "")
    .replace("set SLIPWAY_PORT to another port", "choose another one with --port");

/** Where the Slipway of a data folder answers; undefined where none runs. @throws WorkFailed while it starts */
export function runningAddress(folder: string): string | undefined {
  const running = slipwayIn(folder);
  if (running === undefined) return undefined;
  if (running.address !== undefined) return running.address;
  throw new WorkFailed(`Slipway is starting (process ${running.pid}): run this command again in a moment`);
}

/** Stops the Slipway of a data folder. @returns false where none runs @throws DeadlinePassed */
export async function stopSlipway(folder: string): Promise<boolean> {
  const running = slipwayIn(folder);
  if (running === undefined) return false;
  process.kill(running.pid, "SIGTERM");
  const end = performance.now() + startSeconds * 1000;
  while (slipwayIn(folder) !== undefined) {
    if (performance.now() > end)
      throw new DeadlinePassed(`process ${running.pid} did not stop within ${startSeconds} s`);
    await pause(lookMilliseconds);
  }
  return true;
}

/** A path as it is typed in the folder that the terminal is in; one that is far away stays absolute. */
export function typedPath(path: string): string {
  const typed = relative(process.cwd(), path);
  return typed.startsWith("..") ? path : `./${typed}`;
}

/** The command line as it is typed here. */
export function typedProgram(): string {
  if (!isPackage) return typedPath(join(root, "slipway"));
  return process.env.npm_command === "exec" ? "npx slipway" : "slipway";
}
