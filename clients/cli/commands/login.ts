import { readFileSync } from "node:fs";
import { connect, SlipwayError, taken } from "@slipway/client";
import type { Command } from "commander";
import { type Context, readContexts, saveContext, writeContexts } from "../contexts.ts";
import { WrongUsage } from "../endings.ts";
import type { Shared } from "../session.ts";
import { ask } from "../terminal/ask.ts";
import { print, printJson } from "../terminal/print.ts";
import { table } from "../terminal/words.ts";

interface LoginOptions {
  account?: string;
  code?: string;
  tokenFile?: string;
  name?: string;
}

export function loginCommand(program: Command): void {
  program
    .command("login")
    .description("sign in to a Slipway, with an account and its password or with an API token")
    .argument("<address>", "such as https://….amazonaws.com/slipway")
    .option("--account <account>", "sign in with a password; the sign-in lasts 24 hours")
    .option("--code <code>", "of the authenticator app, or a recovery code, where the account has a second factor")
    .option("--token-file <file>", "file that holds an API token; - reads standard input")
    .option("--name <name>", "what the context is called; without it the address's host")
    .action(async (address: string, options: LoginOptions, command: Command) => {
      const place = addressOf(address);
      const signedIn =
        options.account === undefined
          ? { token: await givenToken(options) }
          : await signIn(place, options.account, options.code);
      const { token } = signedIn;
      // A wrong token is told now, not at the next command.
      await connect({ address: place, token }).GET("/openapi/projects/project", {
        params: { query: { pageSize: "1" } },
      });
      const name = options.name ?? new URL(place).host;
      saveContext(name, { address: place, ...signedIn });
      if (command.optsWithGlobals<Shared>().output === "json") printJson({ context: name, address: place });
      else print(`Signed in at ${place}; commands use the context ${name} from now on.`);
    });
}

function addressOf(text: string): string {
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new WrongUsage(`${text} is no address: it begins with https:// or http://`);
  return text.replace(/\/+$/, "");
}

async function givenToken({ tokenFile }: LoginOptions): Promise<string> {
  if (tokenFile === undefined) return ask("API token: ", "--token-file or --account", { isSecret: true });
  try {
    return readFileSync(tokenFile === "-" ? 0 : tokenFile, "utf8").trim();
  } catch (error) {
    throw new WrongUsage(`the token cannot be read: ${(error as Error).message}`);
  }
}

async function signIn(address: string, account: string, code = ""): Promise<Omit<Context, "address">> {
  const password = process.env.SLIPWAY_PASSWORD || (await ask("Password: ", "SLIPWAY_PASSWORD", { isSecret: true }));
  const send = (mfa_code: string) =>
    taken(connect({ address }).POST("/api/v1/login", { body: { account, password, mfa_code } }));
  const { token, uid, mfa_required } = await send(code).catch(async (error: unknown) => {
    if (code !== "" || !(error instanceof SlipwayError) || !error.needsCode) throw error;
    return send(await ask("Code of your authenticator app, or a recovery code: ", "--code"));
  });
  if (mfa_required)
    throw new WrongUsage(
      `${address} demands a second factor, and ${account} has none: sign in at ${address}/console/ and enrol one first`,
    );
  return { token, account, uid };
}

/** @throws WrongUsage without a sign-in */
function currentContext() {
  const { current, contexts } = readContexts();
  const context = contexts[current];
  if (context === undefined) throw new WrongUsage("nobody is signed in");
  return { context, current, contexts };
}

export function contextCommand(program: Command): void {
  const context = program.command("context").description("list sign-ins, and choose the one that commands use");
  context
    .command("list", { isDefault: true })
    .description("list the contexts; * marks the one that commands use")
    .action((_: object, command: Command) => {
      const { current, contexts } = readContexts();
      const list = Object.entries(contexts).map(([name, { address }]) => ({
        name,
        address,
        current: name === current,
      }));
      if (command.optsWithGlobals<Shared>().output === "json") printJson(list);
      else
        print(
          table(
            ["", "NAME", "ADDRESS"],
            list.map((one) => [one.current ? "*" : "", one.name, one.address]),
          ),
        );
    });
  context
    .command("token")
    .description("print the token of the current context, for curl and other programs")
    .action(() => {
      print(currentContext().context.token);
    });
  context
    .command("use")
    .description("choose the context that commands use")
    .argument("<name>")
    .action((name: string) => {
      writeContexts({ ...readContexts(), current: known(name) });
      print(`Commands use the context ${name} from now on.`);
    });
  context
    .command("project")
    .description("choose the project of commands that name none, for the current context; without a key none")
    .argument("[key]")
    .action((key: string | undefined) => {
      const { context, current, contexts } = currentContext();
      const { project: _, ...others } = context;
      const chosen = { ...others, ...(key !== undefined && { project: key }) };
      writeContexts({ current, contexts: { ...contexts, [current]: chosen } });
      print(key === undefined ? "No project is chosen." : `Commands of ${current} use the project ${key}.`);
    });
  context
    .command("remove")
    .description("forget a sign-in; its token stays valid until it is revoked")
    .argument("<name>")
    .action((name: string) => {
      const { current, contexts } = readContexts();
      const { [known(name)]: _, ...left } = contexts;
      writeContexts({ current: current === name ? "" : current, contexts: left });
      print(`The context ${name} is forgotten.`);
    });
}

function known(name: string): string {
  const { contexts } = readContexts();
  if (contexts[name] === undefined)
    throw new WrongUsage(`there is no context ${name}; known are ${Object.keys(contexts).join(", ") || "none"}`);
  return name;
}
