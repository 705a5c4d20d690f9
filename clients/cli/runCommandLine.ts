import { Command, CommanderError, Option } from "commander";
import { readVersion } from "../../infra/program.ts";
import { commands } from "./commands/index.ts";
import { exitCodeOf, exitCodes, explain } from "./endings.ts";
import type { Shared } from "./session.ts";
import { chooseForm, note } from "./terminal/print.ts";

const forms = ["text", "json", "yaml", "wide", "name"] as const;
let running: Command | undefined;
const takesValue = new Set(["-o", "--output", "--context"]);

/** The command that is typed, behind options of the program; undefined for help, completion and what does not exist. */
function typedCommand(): string | undefined {
  let at = 2;
  for (let word = process.argv[at]; word?.startsWith("-"); word = process.argv[at]) at += takesValue.has(word) ? 2 : 1;
  const word = process.argv[at] ?? "";
  return Object.hasOwn(commands, word) ? word : undefined;
}

async function commandLine(): Promise<Command> {
  const program = new Command("slipway")
    .description("Slipway's command line")
    .version(readVersion(), "-V, --version", "print the version")
    .addOption(
      new Option("-o, --output <form>", "json and yaml: for machines; wide: more columns of lists; name: names alone")
        .choices([...forms])
        .default("text"),
    )
    .option("--debug", "show each request on standard error, and what came back")
    .option("--context <name>", "use this context instead of the current one")
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 the work failed, 2 wrong usage, 3 refused by Slipway, 4 nothing answers, 5 deadline passed",
    )
    .hook("preAction", async (_, action) => {
      running = action;
      await chooseForm(action.optsWithGlobals<Shared>().output);
    })
    .exitOverride();
  const typed = typedCommand();
  const loaders = typed === undefined ? Object.values(commands) : [commands[typed]];
  for (const load of loaders) (await load?.())?.(program);
  return program;
}

try {
  await (await commandLine()).parseAsync();
} catch (error) {
  // Help and version are no errors; commander has said what is wrong with the rest.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    const { suggestionFor } = await import("./suggestion.ts");
    note([`slipway: ${explain(error)}`, await suggestionFor(error, running)].filter(Boolean).join("\n"));
    process.exitCode = exitCodeOf(error);
  }
}
