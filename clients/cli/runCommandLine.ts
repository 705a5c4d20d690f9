import { Command, CommanderError, Option } from "commander";
import { applyCommand } from "./commands/apply.ts";
import { backupCommand } from "./commands/backup.ts";
import { diffCommand, rollbackCommand } from "./commands/changes.ts";
import { completionCommand } from "./commands/completion.ts";
import { demoCommand } from "./commands/demo.ts";
import { contextCommand, loginCommand } from "./commands/login.ts";
import { logsCommand } from "./commands/logs.ts";
import { mcpCommand } from "./commands/mcp.ts";
import { openCommand } from "./commands/open.ts";
import { planCommand } from "./commands/plan.ts";
import { rolloutCommand } from "./commands/rollout.ts";
import { statusCommand } from "./commands/status.ts";
import { approveCommand, runCommand, taskCommand } from "./commands/tasks.ts";
import { upCommand } from "./commands/up.ts";
import { versionCommand } from "./commands/version.ts";
import { exitCodeOf, exitCodes, explain } from "./endings.ts";
import { note } from "./terminal/print.ts";

function commandLine(): Command {
  const program = new Command("slipway")
    .description("Slipway's command line")
    .addOption(new Option("-o, --output <form>", "json: for machines").choices(["text", "json"]).default("text"))
    .option("--context <name>", "use this context instead of the current one")
    .addHelpText(
      "after",
      "\nExit codes: 0 done, 1 the work failed, 2 wrong usage, 3 refused by Slipway, 4 nothing answers, 5 deadline passed",
    )
    .exitOverride();
  const commands = [
    ...[demoCommand, upCommand, loginCommand, contextCommand, applyCommand, statusCommand, logsCommand, diffCommand],
    ...[rollbackCommand, runCommand, taskCommand, approveCommand, rolloutCommand, planCommand, versionCommand],
    ...[openCommand, mcpCommand, completionCommand, backupCommand],
  ];
  for (const add of commands) add(program);
  return program;
}

try {
  await commandLine().parseAsync();
} catch (error) {
  // Help and version are no errors; commander has said what is wrong with the rest.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  else {
    note(`slipway: ${explain(error)}`);
    process.exitCode = exitCodeOf(error);
  }
}
