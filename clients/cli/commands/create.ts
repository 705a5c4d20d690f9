import { taken } from "@slipway/client";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { dryRunOption } from "../report.ts";
import { sessionOf } from "../session.ts";
import { ask } from "../terminal/ask.ts";
import { print, printJson } from "../terminal/print.ts";

interface ProjectOptions {
  name?: string;
  description: string;
  type: string;
  public: boolean;
  dryRun: boolean;
}

const types = ["yaml", "helm", "loaded"] as const;

export function createCommand(program: Command): void {
  const create = program.command("create").description("create projects and users; `env create` creates environments");
  create
    .command("project")
    .description("create an empty project")
    .argument("<key>", "its key: small letters, digits and hyphens")
    .option("--name <name>", "what people read; without it the key")
    .option("--description <text>", "what it is", "")
    .option("--type <type>", `of its services: ${types.join(", ")}`, "yaml")
    .option("--public", "all users may see it", false)
    .option(...dryRunOption)
    .action(createProject);
  create
    .command("user")
    .description("create a user, with the password of SLIPWAY_PASSWORD or one that is asked for")
    .argument("<account>", "what the user signs in with")
    .option("--name <name>", "what people read; without it the account")
    .option("--email <address>", "where mail goes")
    .option(...dryRunOption)
    .action(createUser);
}

async function createProject(key: string, options: ProjectOptions, command: Command): Promise<void> {
  const session = sessionOf(command);
  const project_type = types.find((one) => one === options.type);
  if (project_type === undefined) throw new WrongUsage(`--type ${options.type}: write ${types.join(", ")}`);
  const body = {
    ...{ project_key: key, project_name: options.name ?? key, description: options.description },
    ...{ is_public: options.public, project_type },
  };
  if (!options.dryRun) await session.slipway.POST("/openapi/projects/project", { body });
  if (session.isJson) printJson({ ...body, dry_run: options.dryRun });
  else print(options.dryRun ? `Project ${key} would be created.` : `Project ${key} is created.`);
}

interface UserOptions {
  name?: string;
  email?: string;
  dryRun: boolean;
}

async function createUser(account: string, { name = account, email, dryRun }: UserOptions, command: Command) {
  const session = sessionOf(command);
  const person = { account, name, ...(email !== undefined && { email }) };
  if (dryRun)
    return session.isJson ? printJson({ ...person, dry_run: true }) : print(`User ${account} would be created.`);
  const password = process.env.SLIPWAY_PASSWORD || (await ask("Password: ", "SLIPWAY_PASSWORD", { isSecret: true }));
  const { uid } = await taken(session.slipway.POST("/api/v1/users", { body: { ...person, password } }));
  if (session.isJson) printJson({ ...person, uid });
  else print(`User ${account} is created.`);
}
