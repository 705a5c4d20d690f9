import type { Command } from "commander";
import { projectOf } from "../defaults.ts";
import { WrongUsage } from "../endings.ts";
import { recordChanges } from "../recordChanges.ts";
import { type Kind, kindNamed, kinds, type Scope } from "../resources.ts";
import { type Session, sessionOf } from "../session.ts";
import { ask } from "../terminal/ask.ts";
import { printList } from "../terminal/list.ts";
import { chooseForm, print, printJson } from "../terminal/print.ts";
import { aboutEnvironment, type PlaceOptions } from "./status.ts";

const kindList = kinds.map(({ plural }) => plural).join(", ");

const scopeOf = (session: Session, { project, production }: PlaceOptions): Scope => ({
  project: () => projectOf(session, project),
  production,
});

/** `get` and `list`, which is the same; a name shows one record in full. */
export function getCommand(program: Command): void {
  aboutEnvironment(program.command("get").alias("list"))
    .description("list records of a kind, or show one; -o wide shows more columns, -o name names alone")
    .argument("<kind>", kindList)
    .argument("[name]", "show this one, as YAML unless -o says JSON")
    .action(async (text: string, name: string | undefined, options: PlaceOptions, command: Command) => {
      const session = sessionOf(command);
      const kind = kindNamed(text);
      if (name !== undefined) return show(session, kind, name, options);
      printKind(session, kind, await kind.list(session, scopeOf(session, options)));
    });
}

function printKind(session: Session, { plural, name, columns }: Kind, items: never[]): void {
  printList(session, items, { name, columns, none: `There are no ${plural} that you may see.` });
}

export function describeCommand(program: Command): void {
  aboutEnvironment(program.command("describe"))
    .description("show everything there is to know of one record")
    .argument("<kind>", kindList)
    .argument("<name>", "key, account or name; of a registry its id")
    .action((text: string, name: string, options: PlaceOptions, command: Command) =>
      show(sessionOf(command), kindNamed(text), name, options),
    );
}

async function show(session: Session, kind: Kind, name: string, options: PlaceOptions): Promise<void> {
  const record = await kind.read(session, scopeOf(session, options), name);
  if (session.form !== "json") await chooseForm("yaml");
  printJson(record);
}

interface DeleteOptions extends PlaceOptions {
  yes: boolean;
  dryRun: boolean;
  objects: boolean;
}

export function deleteCommand(program: Command): void {
  aboutEnvironment(program.command("delete"))
    .description("delete a record, after asking")
    .argument("<kind>", kindList)
    .argument("<name>", "key, account or name; of a registry its id")
    .option("--objects", "of a project or an environment: delete its objects on the cluster, too", false)
    .option("-y, --yes", "do not ask", false)
    .option("--dry-run", "say what would be deleted, and delete nothing", false)
    .action(async (text: string, name: string, options: DeleteOptions, command: Command) => {
      const session = sessionOf(command);
      await remove(session, kindNamed(text), name, options);
    });
}

async function remove(session: Session, kind: Kind, name: string, options: DeleteOptions): Promise<void> {
  const scope = scopeOf(session, options);
  const target = { name, objects: options.objects };
  const [what = kind.plural] = kind.aliases;
  // What does not exist is refused before anyone is asked.
  await kind.read(session, scope, name);
  const preview = await kind.remove(session, scope, { ...target, isPreview: true });
  if (isPreview(preview)) recordChanges(preview);
  if (options.dryRun) return report(session, { kind: what, name, deleted: false }, `${what} ${name} would be deleted.`);
  const question = `Delete ${what} ${name}${options.objects ? " and its objects on the cluster" : ""}? Type its name: `;
  if (!options.yes && (await ask(question, "--yes")) !== name) throw new WrongUsage("nothing was deleted");
  await kind.remove(session, scope, { ...target, isPreview: false });
  report(session, { kind: what, name, deleted: true }, `${what} ${name} is deleted.`);
}

const isPreview = (answer: unknown): answer is Parameters<typeof recordChanges>[0] =>
  typeof answer === "object" && answer !== null && "objects" in answer;

function report({ isJson }: Session, value: object, text: string): void {
  if (isJson) printJson(value);
  else print(text);
}
