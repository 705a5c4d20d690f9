import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { applyManifests, connect, type EnvironmentDetail, environmentDetail, unlessMissing } from "@slipway/client";
import type { Command } from "commander";
import { readContexts } from "../contexts.ts";
import { WrongUsage } from "../endings.ts";
import { untilRunning } from "../environment.ts";
import { exampleFolder, runningAddress, startSlipway, typedPath, typedProgram } from "../localSlipway.ts";
import { readManifests } from "../manifests.ts";
import type { Session } from "../session.ts";
import { note, print } from "../terminal/print.ts";
import { runStep } from "../terminal/step.ts";
import { applierOf } from "./apply.ts";
import { defaultFolder, defaultPort } from "./up.ts";

const place = { project: "online-boutique", env: "dev", production: false };
/** How long the services may take until they run. */
const deploySeconds = 300;

interface DemoOptions {
  port: string;
  data: string;
}

export function demoCommand(program: Command): void {
  program
    .command("demo")
    .description(
      "start Slipway on this machine, deploy Online Boutique into its sandbox cluster, and say where to look",
    )
    .option("--port <port>", "port of the API", defaultPort)
    .option("--data <folder>", "data folder", defaultFolder)
    .action(demo);
}

async function demo({ port, data }: DemoOptions): Promise<void> {
  const folder = resolve(data);
  const running = runningAddress(folder);
  const { address, password } =
    running === undefined ? await start(port, folder) : { address: running, password: undefined };
  const { session, options } = signedInAt(address);
  const existing = await existingBoutique(session);
  if (existing === undefined || existing.stored_status === "creating") await deploy(session, existing === undefined);
  const console = (await consoleState(address)) ?? (await runStep("Building the console", () => builtConsole(address)));
  const outcome =
    existing === undefined
      ? "Online Boutique runs in the sandbox cluster, which shows its workloads without running their containers."
      : `Online Boutique is deployed already (${existing.status}): nothing was changed.`;
  print(`\n${outcome}\n\n${directions({ address, password, folder, options, console })}`);
}

function start(port: string, folder: string): Promise<{ address: string; password: string | undefined }> {
  if (process.env.KUBECONFIG)
    note("KUBECONFIG is not used: the demo deploys into a sandbox cluster of its own. `slipway up` uses yours.");
  return runStep("Starting Slipway", async () => {
    const result = await startSlipway({ port, folder, sandbox: true });
    return { done: `Slipway runs at ${result.address}`, result };
  });
}

/** @returns what talks to that Slipway, and the options that later commands need for it @throws WrongUsage */
function signedInAt(address: string): { session: Session; options: string } {
  const { current, contexts } = readContexts();
  const names = Object.keys(contexts).filter((name) => contexts[name]?.address === address);
  const name = names.includes(current) ? current : names[0];
  const connection = contexts[name ?? ""];
  if (name === undefined || connection === undefined)
    throw new WrongUsage(
      `Slipway runs at ${address}, and nobody is signed in there: sign in with \`slipway login ${address}\` and the token of its first start, then run the demo again`,
    );
  const options = name === current ? "" : `--context ${name} `;
  return { session: { connection, slipway: connect(connection), isJson: false, form: "text" }, options };
}

function existingBoutique({ slipway }: Session): Promise<EnvironmentDetail | undefined> {
  return unlessMissing(environmentDetail(slipway, place));
}

function deploy(session: Session, isNew: boolean): Promise<void> {
  return runStep("Deploying Online Boutique", async (setDetail) => {
    const { services } = readManifests(exampleFolder);
    const applier = { ...applierOf(session, "local", deploySeconds), say: setDetail };
    if (isNew) await applyManifests(applier, services, { ...place, prune: false, dryRun: false });
    const show = (detail: EnvironmentDetail): void => {
      const running = detail.services.filter(({ status }) => status === "running");
      setDetail(`${running.length} of ${services.size} services run`);
    };
    await untilRunning(session, place, deploySeconds, show);
    return { done: `Online Boutique runs: ${services.size} services`, result: undefined };
  });
}

type ConsoleState = "built" | "broken";

/** @returns undefined while the console is being built */
async function consoleState(address: string): Promise<ConsoleState | undefined> {
  const { status } = await fetch(`${address}/console/`);
  if (status === 503) return undefined;
  return status === 200 ? "built" : "broken";
}

async function builtConsole(address: string): Promise<{ done: string; result: ConsoleState }> {
  for (;;) {
    const result = await consoleState(address);
    if (result === "built") return { done: "The console is built", result };
    if (result === "broken") return { done: "The console could not be built", result };
    await pause(200);
  }
}

interface Directions {
  address: string;
  password: string | undefined;
  folder: string;
  /** That later commands need to reach this Slipway. */
  options: string;
  console: ConsoleState;
}

/** Where the console is, how to sign in, what to try next, and how all of it goes away again. */
function directions({ address, password, folder, options, console }: Directions): string {
  const program = typedProgram();
  const page = `${address}/console/v1/projects/detail/${place.project}/envs/detail?envName=${place.env}`;
  const data = folder === defaultFolder ? "" : ` --data ${typedPath(folder)}`;
  return [
    `  Console   ${console === "built" ? page : `could not be built; ${address}/console/ says why`}`,
    `  Sign in   account admin, ${passwordText(password)}`,
    "",
    "Try next:",
    `  ${program} ${options}status ${place.env} -p ${place.project}`,
    `  ${program} ${options}apply -f ${typedPath(exampleFolder)}   (change an image in one of its files first)`,
    `  ${program} ${options}rollback frontend -e ${place.env} -p ${place.project}`,
    "",
    `Stop it with \`${program} down${data}\`; then \`rm -r ${typedPath(folder)}\` removes its data.`,
  ].join("\n");
}

function passwordText(password: string | undefined): string {
  if (password !== undefined) return `password ${password} (keep it: it is not shown again)`;
  if (process.env.SLIPWAY_ADMIN_PASSWORD) return "the password of SLIPWAY_ADMIN_PASSWORD";
  return "the password that the first start showed (SLIPWAY_ADMIN_PASSWORD at a start sets another)";
}
