import { SlipwayError } from "@slipway/client";

/** How a command ends, for scripts (docs/command-line.md). */
export const exitCodes = { done: 0, failed: 1, usage: 2, refused: 3, unreachable: 4, deadline: 5 } as const;

/** What the command was to bring about went wrong: a deployment that fails, a task that does not pass. */
export class WorkFailed extends Error {
  override readonly name = "WorkFailed";
}

/** The command cannot be carried out as it was typed. */
export class WrongUsage extends Error {
  override readonly name = "WrongUsage";
}

/** What was waited for did not happen in time; it may still happen. */
export class DeadlinePassed extends Error {
  override readonly name = "DeadlinePassed";
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof SlipwayError) return error.status === 0 ? exitCodes.unreachable : exitCodes.refused;
  if (error instanceof WrongUsage) return exitCodes.usage;
  if (error instanceof DeadlinePassed) return exitCodes.deadline;
  return exitCodes.failed;
}

/** What a person reads of an error: what happened, where, and what to do next. */
export function explain(error: unknown): string {
  if (!(error instanceof SlipwayError)) return error instanceof Error ? error.message : String(error);
  const places = error.problems.map(({ in: place, path, problem }) => `\n  ${place} ${path}: ${problem}`).join("");
  const head = error.description === "" || places !== "" ? error.message : `${error.message}: ${error.description}`;
  const next = nextSteps[error.status];
  return `${head}${places}${next === undefined ? "" : `\n${next}`}`;
}

const nextSteps: Readonly<Record<number, string>> = {
  0: "Is Slipway running there? `slipway up` starts one on this machine, `slipway login` chooses another.",
  401: "Sign in with `slipway login`.",
};
