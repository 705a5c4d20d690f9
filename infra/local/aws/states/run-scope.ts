import type { RunOptions } from "aws-local-stepfunctions";
import type { FunctionRunner } from "../lambda/function-runner.ts";
import type { Activity } from "./activity.ts";
import type { History } from "./history.ts";
import type { TaskTokens } from "./task-tokens.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a run of a machine, and each nested run inside it, works with. */
export type RunScope = {
  functions: FunctionRunner;
  tokens: TaskTokens;
  activity: Activity;
  history: History;
  historyIsFull(): void;
  signal: AbortSignal;
  context: NonNullable<RunOptions["context"]>;
};

/** The fields of what a prepared state's Parameters gave. */
export function fields(given: Json): { [key: string]: Json } {
  return typeof given === "object" && given !== null && !Array.isArray(given) ? given : {};
}
