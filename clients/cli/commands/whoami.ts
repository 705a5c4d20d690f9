import { SlipwayError, taken } from "@slipway/client";
import type { Command } from "commander";
import { readVersion } from "../../../infra/program.ts";
import { contextsFile, readContexts } from "../contexts.ts";
import { WorkFailed } from "../endings.ts";
import { type Session, type Shared, sessionOf } from "../session.ts";
import { print, printJson } from "../terminal/print.ts";
import { table } from "../terminal/words.ts";

export function whoamiCommand(program: Command): void {
  program
    .command("whoami")
    .description("show whom commands talk to, by which sign-in, and what it may do")
    .action(async (_: object, command: Command) => {
      const session = sessionOf(command);
      const rights = await taken(session.slipway.GET("/api/v1/policy/permission"));
      const { address } = session.connection;
      if (session.isJson)
        return printJson({
          address,
          by: signIn(command),
          account: session.account,
          project: session.project,
          ...rights,
        });
      const projects = rights.project_admin_list.join(", ");
      print(
        [
          `Address   ${address}`,
          `Sign-in   ${signIn(command)}`,
          ...(session.account === undefined ? [] : [`Account   ${session.account}`]),
          `Project   ${session.project ?? "none chosen"}`,
          `Rights    ${rights.is_system_admin ? "system administrator" : `administrator of ${projects || "no project"}`}`,
          ...(rights.system_verbs.length > 0 && !rights.is_system_admin
            ? [`System    ${rights.system_verbs.join(", ")}`]
            : []),
        ].join("\n"),
      );
    });
}

function signIn(command: Command): string {
  const { context } = command.optsWithGlobals<Shared>();
  if (process.env.SLIPWAY_ADDRESS && context === undefined) return "SLIPWAY_ADDRESS and SLIPWAY_TOKEN";
  return `context ${context ?? readContexts().current}`;
}

interface Check {
  what: string;
  isRight: boolean;
  /** What was seen, and what to do where it is wrong. */
  text: string;
}

export function doctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("check what commands need, one line each; exit code 1 where something is wrong")
    .action(async (_: object, command: Command) => {
      const checks = await allChecks(command);
      const isJson = ["json", "yaml"].includes(command.optsWithGlobals<Shared>().output ?? "");
      if (isJson) printJson(checks);
      else
        print(
          table(
            ["", "WHAT", "SEEN"],
            checks.map(({ what, isRight, text }) => [isRight ? "✓" : "✗", what, text]),
          ),
        );
      const wrong = checks.filter(({ isRight }) => !isRight);
      if (wrong.length > 0) throw new WorkFailed(`${wrong.map(({ what }) => what).join(", ")}: see above`);
    });
}

async function allChecks(command: Command): Promise<Check[]> {
  const program = { what: "command line", isRight: true, text: `version ${readVersion()}, Node.js ${process.version}` };
  const session = tried(() => sessionOf(command));
  if (session instanceof Error)
    return [program, { what: "sign-in", isRight: false, text: `${session.message} (${contextsFile()})` }];
  const address = session.connection.address.replace(/\/+$/, "");
  return [
    program,
    await answers("answer", `${address}/healthz`),
    await answers("readiness", `${address}/readyz`),
    await token(session),
    await clusters(session),
  ];
}

function tried<T>(read: () => T): T | Error {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
}

async function answers(what: string, url: string): Promise<Check> {
  const startedAt = performance.now();
  const answer = await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch((error: Error) => error);
  if (answer instanceof Error)
    return { what, isRight: false, text: `nothing answers at ${url}: \`slipway up\` starts Slipway on this machine` };
  const took = `${Math.round(performance.now() - startedAt)} ms`;
  return { what, isRight: answer.ok, text: answer.ok ? `${url}, ${took}` : `${answer.status}: ${await answer.text()}` };
}

async function token({ slipway }: Session): Promise<Check> {
  const what = "sign-in";
  const rights = await taken(slipway.GET("/api/v1/policy/permission")).catch((error: Error) => error);
  if (rights instanceof Error)
    return { what, isRight: false, text: `${rights.message}: sign in again with \`slipway login\`` };
  return { what, isRight: true, text: rights.is_system_admin ? "valid, a system administrator" : "valid" };
}

async function clusters({ slipway }: Session): Promise<Check> {
  const what = "clusters";
  const found = await taken(slipway.GET("/openapi/system/cluster")).catch((error: Error) => error);
  // Who may not list them can use Slipway all the same.
  if (found instanceof SlipwayError && found.status === 403)
    return { what, isRight: true, text: "not for you to list" };
  if (found instanceof Error) return { what, isRight: false, text: found.message };
  const text = found.map(({ name, status, status_message }) => `${name} ${status_message || status}`).join(", ");
  return { what, isRight: found.length > 0 && found.every(({ status }) => status === "normal"), text: text || "none" };
}
