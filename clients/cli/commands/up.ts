import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { processIn } from "../../../infra/local/dataDir.ts";
import { readContexts, saveContext } from "../contexts.ts";
import { DeadlinePassed, WorkFailed } from "../endings.ts";
import { print } from "../terminal/print.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const startSeconds = 60;

interface UpOptions {
  port: string;
  data: string;
  foreground: boolean;
}

export function upCommand(program: Command): void {
  program
    .command("up")
    .description("start Slipway on this machine and sign in")
    .option("--port <port>", "port of the API", process.env.SLIPWAY_PORT || "8080")
    .option("--data <folder>", "data folder", process.env.SLIPWAY_DATA_DIR || join(root, ".slipway"))
    .option("--foreground", "stay, and show its output, until Ctrl-C", false)
    .action(up);
  program
    .command("down")
    .description("stop the Slipway of this machine; its data stays")
    .option("--data <folder>", "data folder", process.env.SLIPWAY_DATA_DIR || join(root, ".slipway"))
    .action(down);
}

async function up({ port, data, foreground }: UpOptions): Promise<void> {
  const folder = resolve(data);
  const address = `http://127.0.0.1:${port}`;
  const running = processIn(folder);
  if (running !== undefined) return tellNext(address, `Slipway runs already (process ${running})`);
  // Who has data already has a token; a new one would end those that people use.
  const isFirst = !existsSync(folder);
  const token = isFirst ? `local-${randomBytes(24).toString("base64url")}` : undefined;
  // With letters of both cases and a digit, whatever comes out, as passwords need them.
  const chosen = process.env.SLIPWAY_ADMIN_PASSWORD;
  const password = chosen || `Sw1-${randomBytes(12).toString("base64url")}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const log = join(folder, "up.log");
  const output = openSync(log, "w", 0o600);
  const child = spawn(process.execPath, ["--max-semi-space-size=8", join(root, "infra/local/main.ts")], {
    cwd: root,
    detached: !foreground,
    stdio: foreground ? "inherit" : ["ignore", output, output],
    env: {
      ...process.env,
      ...{ SLIPWAY_PORT: port, SLIPWAY_DATA_DIR: folder },
      ...(token !== undefined && { SLIPWAY_ADMIN_TOKEN: token, SLIPWAY_ADMIN_PASSWORD: password }),
    },
  });
  const ended = new Promise<number>((done) => child.once("exit", (code) => done(code ?? 1)));
  await answering(address, ended, foreground ? undefined : log);
  if (token !== undefined) saveContext("local", { address, token });
  tellNext(address, `Slipway runs at ${address}`);
  if (isFirst && !chosen)
    print(`Console: ${address}/console/, account admin, password ${password} (keep it: it is not shown again)`);
  if (foreground) process.exitCode = await ended;
  else child.unref();
}

function tellNext(address: string, first: string): void {
  const known = Object.values(readContexts().contexts).some((context) => context.address === address);
  const next = known
    ? "Next: `slipway apply -f examples/online-boutique` deploys Online Boutique, `slipway status` shows what runs."
    : `Sign in with \`slipway login ${address}\` and the token of its first start.`;
  print(`${first}\n${next}`);
}

async function answering(address: string, ended: Promise<number>, log: string | undefined): Promise<void> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (let waited = 0; waited < startSeconds * 10; waited++) {
    if (isOver)
      throw new WorkFailed(`Slipway did not start${log === undefined ? "" : `:\n${readFileSync(log, "utf8").trim()}`}`);
    const answer = await fetch(`${address}/api/aslan/system/initialization/status`).catch(() => undefined);
    if (answer?.ok) return;
    await pause(100);
  }
  throw new DeadlinePassed(
    `Slipway does not answer at ${address} after ${startSeconds} s${log === undefined ? "" : `; ${log} has its output`}`,
  );
}

async function down({ data }: { data: string }): Promise<void> {
  const folder = resolve(data);
  const pid = processIn(folder);
  if (pid === undefined) return print(`No Slipway of ${folder} runs.`);
  process.kill(pid, "SIGTERM");
  for (let waited = 0; waited < startSeconds * 10 && processIn(folder) !== undefined; waited++) await pause(100);
  if (processIn(folder) !== undefined) throw new DeadlinePassed(`process ${pid} did not stop within ${startSeconds} s`);
  print("Slipway has stopped; its data stays.");
}
