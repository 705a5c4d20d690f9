import { resolve } from "node:path";
import type { Command } from "commander";
import { WrongUsage } from "../endings.ts";
import { typedPath } from "../localSlipway.ts";
import { ask } from "../terminal/ask.ts";
import { print } from "../terminal/print.ts";
import { defaultFolder } from "./up.ts";

const fewestCharacters = 12;

interface Options {
  data: string;
}

export function backupCommand(program: Command): void {
  program
    .command("backup")
    .description("save the data of this machine's Slipway into a file, sealed by a passphrase; it may run meanwhile")
    .argument("<file>", "the file to write")
    .option("--data <folder>", "data folder", defaultFolder)
    .action(backup);
}

export function restoreCommand(program: Command): void {
  program
    .command("restore")
    .description("make a data folder of a file that `slipway backup` wrote")
    .argument("<file>", "the file to read")
    .option("--data <folder>", "data folder: missing or empty", defaultFolder)
    .action(restore);
}

async function backup(file: string, { data }: Options): Promise<void> {
  const folder = resolve(data);
  const { backUp } = await import("../../../infra/local/backup/backup.ts");
  await backUp(
    folder,
    resolve(file),
    await passphrase("Passphrase for the backup (keep it: nothing opens the file without it): "),
  );
  print(`Saved ${typedPath(folder)} into ${file}.`);
}

async function restore(file: string, { data }: Options): Promise<void> {
  const folder = resolve(data);
  const { restore: restoreInto } = await import("../../../infra/local/backup/backup.ts");
  await restoreInto(resolve(file), folder, await passphrase("Passphrase of the backup: "));
  print(`Restored ${file} into ${typedPath(folder)}.\nNext: \`slipway up --data ${typedPath(folder)}\` starts it.`);
}

async function passphrase(question: string): Promise<string> {
  const given = process.env.SLIPWAY_BACKUP_PASSPHRASE;
  const text = given ?? (await ask(question, "SLIPWAY_BACKUP_PASSPHRASE", { isSecret: true }));
  if (text.length >= fewestCharacters) return text;
  throw new WrongUsage(`the passphrase has ${text.length} characters: give at least ${fewestCharacters}`);
}
