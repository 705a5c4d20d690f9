import { spawn } from "node:child_process";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { sessionOf } from "../session.ts";
import { note, print, printJson } from "../terminal/print.ts";

interface OpenOptions {
  project?: string;
  env?: string;
  production: boolean;
  workflow?: string;
  run?: string;
}

export function openCommand(program: Command): void {
  program
    .command("open")
    .description("open the console in a browser; without a terminal only print its address")
    .option("-p, --project <key>", "at this project")
    .option("-e, --env <key>", "at this environment of the project")
    .option("--production", "a production environment", false)
    .option("-w, --workflow <key>", "at this workflow of the project")
    .option("--run <number>", "at this run of the workflow")
    .action(async (options: OpenOptions, command: Command) => {
      const { connection, isJson } = sessionOf(command);
      const address = `${connection.address.replace(/\/+$/, "")}/console/${pageOf(options)}`;
      if (isJson) return printJson({ address });
      print(address);
      if (process.stdout.isTTY) await showInBrowser(address);
    });
}

/** Addresses of pages are those of docs/console.md. @throws WrongUsage */
function pageOf({ project, env, production, workflow, run }: OpenOptions): string {
  if (project === undefined) {
    if (env ?? workflow ?? run) throw new WrongUsage("name the project, too: -p <key>");
    return "";
  }
  const page = `v1/projects/detail/${encodeURIComponent(project)}`;
  if (env !== undefined)
    return `${page}/envs/detail?envName=${encodeURIComponent(env)}${production ? "&production=true" : ""}`;
  if (workflow !== undefined)
    return `${page}/pipelines/custom/${encodeURIComponent(workflow)}${run === undefined ? "" : `/${numbered(run)}`}`;
  if (run !== undefined) throw new WrongUsage("name the workflow, too: -w <key>");
  return page;
}

function numbered(run: string): string {
  if (!/^\d{1,12}$/.test(run)) throw new WrongUsage(`--run ${run}: write its number, such as 12`);
  return run;
}

/** The browser of `BROWSER`, else the one that the system takes; where there is none, the address has been printed. */
async function showInBrowser(address: string): Promise<void> {
  const system = { darwin: "open", win32: "explorer.exe" } as Readonly<Record<string, string>>;
  const program = process.env.BROWSER || (system[process.platform] ?? "xdg-open");
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  await new Promise<void>((done) => {
    child.once("spawn", done);
    child.once("error", ({ message }) => {
      note(`no browser could be opened (${message}): open the address yourself`);
      done();
    });
  });
  child.unref();
}
