import { readFileSync } from "node:fs";
import { taken, unlessMissing } from "@slipway/client";
import type { Command } from "commander";
import { projectOf } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { dryRunOption } from "../report.ts";
import { type Session, sessionOf } from "../session.ts";
import { chooseForm, note, print, printJson } from "../terminal/print.ts";

interface Options {
  project?: string;
}

interface ApplyOptions extends Options {
  file: string;
  dryRun: boolean;
}

export function workflowCommand(program: Command): void {
  const workflow = program.command("workflow").description("save workflows from files, and write them into files");
  workflow
    .command("apply")
    .description("create the workflow of a file, or replace it; ******** keeps a credential that is stored")
    .requiredOption("-f, --file <path>", "YAML or JSON; - reads standard input")
    .option("-p, --project <key>", "project; without it that of the file, or the one chosen")
    .option(...dryRunOption)
    .action(apply);
  workflow
    .command("lint")
    .description("say what saving the workflow of a file would refuse or warn of; nothing is stored")
    .requiredOption("-f, --file <path>", "YAML or JSON; - reads standard input")
    .option("-p, --project <key>", "project; without it that of the file, or the one chosen")
    .action(async ({ file, project }: ApplyOptions, command: Command) => {
      const session = sessionOf(command);
      const read = await definitionIn(file);
      const warnings = await lint(session, { ...read, project: await projectOf(session, project ?? read.project) });
      if (session.isJson) printJson({ workflow: read.name, warnings });
      else print(warnings.length === 0 ? `${read.name} is right.` : `${read.name} can be saved, with warnings.`);
    });
  workflow
    .command("export")
    .description("print a workflow as YAML, as it was saved, without its credentials")
    .argument("<workflow>", "key of the workflow")
    .option("-p, --project <key>", "project; without it the one chosen, or the only one there is")
    .action(async (key: string, { project }: Options, command: Command) => {
      const session = sessionOf(command);
      const { id, created_by, create_time, updated_by, update_time, ...sent } = await stored(
        session,
        await projectOf(session, project),
        key,
      );
      if (session.form !== "json") await chooseForm("yaml");
      printJson(sent);
    });
}

const stored = ({ slipway }: Session, projectKey: string, name: string) =>
  taken(slipway.GET("/api/aslan/workflow/v4/name/{name}", { params: { path: { name }, query: { projectKey } } }));

async function apply({ file, project, dryRun }: ApplyOptions, command: Command): Promise<void> {
  const session = sessionOf(command);
  const read = await definitionIn(file);
  const projectKey = await projectOf(session, project ?? read.project);
  const body = { ...read, project: projectKey };
  const exists = (await unlessMissing(stored(session, projectKey, read.name))) !== undefined;
  const done = exists ? "replaced" : "created";
  if (dryRun) await lint(session, body);
  else await save(session, body, exists);
  const result = { workflow: read.name, project: projectKey, [done]: !dryRun, dry_run: dryRun };
  if (session.isJson) printJson(result);
  else print(`${read.name} ${dryRun ? "would be" : "is"} ${done}${dryRun ? "; nothing was changed" : ""}.`);
}

async function save({ slipway }: Session, body: Definition, exists: boolean): Promise<void> {
  const answer = exists
    ? await taken(
        slipway.PUT("/openapi/workflows/custom/{name}", {
          params: { path: { name: body.name }, query: { projectKey: body.project } },
          body,
        }),
      )
    : await taken(slipway.POST("/openapi/workflows/custom", { params: { query: { projectKey: body.project } }, body }));
  warn(answer.warnings);
}

/** @returns what saving it would warn of @throws SlipwayError for what it would refuse */
async function lint({ slipway }: Session, body: Definition) {
  const { warnings = [] } = await taken(slipway.POST("/api/aslan/workflow/v4/lint", { body }));
  warn(warnings);
  return warnings;
}

function warn(warnings: readonly { message: string }[] = []): void {
  for (const { message } of warnings) note(`warning: ${message}`);
}

/** As it is sent; Slipway says what is wrong with the rest. */
type Definition = { name: string; project: string } & Record<string, unknown>;

/** @throws WrongUsage where the file cannot be read or does not hold a workflow */
async function definitionIn(file: string): Promise<Record<string, unknown> & { name: string; project?: string }> {
  const { load } = await import("js-yaml");
  let definition: unknown;
  try {
    definition = load(readFileSync(file === "-" ? 0 : file, "utf8"));
  } catch (error) {
    throw new WrongUsage(`${file} cannot be read: ${(error as Error).message}`);
  }
  const { name } = (definition ?? {}) as { name?: unknown };
  if (typeof name !== "string") throw new WrongUsage(`${file}: name is missing: the workflow's key`);
  return definition as Definition;
}
