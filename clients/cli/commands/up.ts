import { join, resolve } from "node:path";
import type { Command } from "commander";
import { isPackage, root } from "../../../infra/program.ts";
import { readContexts } from "../contexts.ts";
import { exampleFolder, runningAddress, startSlipway, stopSlipway, typedPath } from "../localSlipway.ts";
import { print } from "../terminal/print.ts";

interface UpOptions {
  port: string;
  data: string;
  foreground: boolean;
}

/** Options of commands that start or stop Slipway on this machine. */
export const defaultPort = process.env.SLIPWAY_PORT || "8080";
export const defaultFolder = process.env.SLIPWAY_DATA_DIR || join(isPackage ? process.cwd() : root, ".slipway");

export function upCommand(program: Command): void {
  program
    .command("up")
    .description("start Slipway on this machine and sign in")
    .option("--port <port>", "port of the API", defaultPort)
    .option("--data <folder>", "data folder", defaultFolder)
    .option("--foreground", "stay, and show its output, until Ctrl-C", false)
    .action(up);
}

export function downCommand(program: Command): void {
  program
    .command("down")
    .description("stop the Slipway of this machine; its data stays")
    .option("--data <folder>", "data folder", defaultFolder)
    .action(down);
}

async function up({ port, data, foreground }: UpOptions): Promise<void> {
  const folder = resolve(data);
  const running = runningAddress(folder);
  if (running !== undefined) return print(`Slipway runs already at ${running}\n${nextStep(running)}`);
  const { address, password, ended } = await startSlipway({ port, folder, foreground });
  print(`Slipway runs at ${address}\n${nextStep(address)}`);
  if (password !== undefined)
    print(`Console: ${address}/console/, account admin, password ${password} (keep it: it is not shown again)`);
  if (foreground) process.exitCode = await ended;
}

function nextStep(address: string): string {
  const known = Object.values(readContexts().contexts).some((context) => context.address === address);
  return known
    ? `Next: \`slipway apply -f ${typedPath(exampleFolder)}\` deploys Online Boutique, \`slipway status\` shows what runs.`
    : `Sign in with \`slipway login ${address}\` and the token of its first start.`;
}

async function down({ data }: { data: string }): Promise<void> {
  const folder = resolve(data);
  const hasStopped = await stopSlipway(folder);
  print(hasStopped ? "Slipway has stopped; its data stays." : `No Slipway of ${folder} runs.`);
}
