import type { Preview } from "@slipway/client";
import type { Command } from "commander";
import { recordChanges } from "./recordChanges.ts";
import type { Session } from "./session.ts";
import { print, printJson } from "./terminal/print.ts";

interface Outcome {
  isPreview: boolean;
  /** Said of a change that was made, and of one that would be. */
  done: string;
  planned: string;
  /** What machines read besides. */
  facts?: object;
}

/** Says what a change did, or would do: people see each object that changes, machines the list of them. */
export function reportChange(session: Session, answer: Preview, { isPreview, done, planned, facts }: Outcome): void {
  const objects = session.isJson && "objects" in answer ? answer.objects : recordChanges(answer);
  if (session.isJson) printJson({ ...facts, dry_run: isPreview, ...(isPreview && { objects }) });
  else print(isPreview ? `${planned} Nothing was changed.` : done);
}

export const dryRunOption = ["--dry-run", "say what would change, and change nothing", false] as const;

/** Options of a command that waits, unless told not to. @param until what it waits for, as its help says */
export function addWaiting(command: Command, until = "it runs"): Command {
  return command
    .option("--no-wait", `do not wait until ${until}`)
    .option("--timeout <time>", "how long to wait, such as 90s or 10m", "5m");
}

/** The query of a change. */
export function changeQuery(projectKey: string, isPreview: boolean) {
  return { projectKey, ...(isPreview && { dryRun: "true" as const }) };
}
