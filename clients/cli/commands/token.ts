import { taken } from "@slipway/client";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { uidOf } from "../resources.ts";
import { type Session, sessionOf } from "../session.ts";
import { printList, shownTime } from "../terminal/list.ts";
import { note, print, printJson } from "../terminal/print.ts";

interface Options {
  user?: string;
}

const aboutUser = (command: Command): Command =>
  command.option("-u, --user <account>", "your account or uid, where the sign-in does not say whose it is");

export function tokenCommand(program: Command): void {
  const token = program.command("token").description("create, list and revoke your API tokens");
  aboutUser(token.command("create"))
    .description("create an API token and print it; it is shown this once")
    .argument("<name>", "what it is for, such as ci")
    .option("--scope <scope>", "read or write", "write")
    .option("--project <keys...>", "only for these projects", [])
    .option("--days <number>", "how many days it is valid; without it it does not expire")
    .action(create);
  aboutUser(token.command("list"))
    .description("list your API tokens")
    .action(async ({ user }: Options, command: Command) => {
      const session = sessionOf(command);
      printList(session, await tokensOf(session, user), {
        name: ({ name }) => name,
        columns: [
          { heading: "NAME", of: ({ name }) => name },
          { heading: "SCOPE", of: ({ scope }) => scope },
          { heading: "PROJECTS", of: ({ projects }) => projects.join(", ") || "all" },
          { heading: "EXPIRES", of: ({ expires_at }) => shownTime(expires_at) || "never" },
          { heading: "LAST USED", of: ({ last_used_at }) => shownTime(last_used_at) || "never" },
          { heading: "ID", of: ({ id }) => id, isWide: true },
        ],
        none: "There is no API token.",
      });
    });
  aboutUser(token.command("revoke"))
    .description("revoke an API token at once")
    .argument("<name>", "its name, or its id")
    .action(async (named: string, { user }: Options, command: Command) => {
      const session = sessionOf(command);
      const tokens = await tokensOf(session, user);
      const found = tokens.find(({ id, name }) => id === named || name === named);
      if (found === undefined)
        throw new WrongUsage(`there is no token ${named}; known are ${tokens.map(({ name }) => name).join(", ")}`);
      const path = { uid: await ownUid(session, user), tokenId: found.id };
      await session.slipway.DELETE("/openapi/users/{uid}/tokens/{tokenId}", { params: { path } });
      if (session.isJson) printJson({ token: found.name, revoked: true });
      else print(`${found.name} is revoked.`);
    });
}

/** Only users themselves see and create their tokens. @throws WrongUsage where it is not known who is signed in */
async function ownUid(session: Session, named: string | undefined): Promise<string> {
  if (named === undefined && session.uid !== undefined) return session.uid;
  const user = named ?? session.account;
  if (user === undefined) throw new WrongUsage("it is not known whose sign-in this is: name your account with -u");
  return uidOf(session, user);
}

async function tokensOf(session: Session, user: string | undefined) {
  const params = { path: { uid: await ownUid(session, user) } };
  return taken(session.slipway.GET("/openapi/users/{uid}/tokens", { params }));
}

interface CreateOptions extends Options {
  scope: string;
  project: string[];
  days?: string;
}

async function create(name: string, options: CreateOptions, command: Command): Promise<void> {
  const { user, scope, project: projects, days } = options;
  if (scope !== "read" && scope !== "write") throw new WrongUsage(`--scope ${scope}: write read or write`);
  if (days !== undefined && !/^[1-9]\d{0,3}$/.test(days))
    throw new WrongUsage(`--days ${days}: write a number such as 90`);
  const session = sessionOf(command);
  const expires = days === undefined ? {} : { expires_at: Math.floor(Date.now() / 1000) + Number(days) * 86_400 };
  const made = await taken(
    session.slipway.POST("/openapi/users/{uid}/tokens", {
      params: { path: { uid: await ownUid(session, user) } },
      body: { name, scope, projects, ...expires },
    }),
  );
  if (session.isJson) return printJson(made);
  note(`The token ${name}; keep it, it is not shown again:`);
  print(made.token);
}
