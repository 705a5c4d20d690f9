import { ExecutionError, type RunOptions } from "aws-local-stepfunctions";
import type { FunctionRunner } from "../lambda/functionRunner.ts";
import type { Activity } from "./activity.ts";
import type { History } from "./history.ts";
import type { TaskTokens } from "./task-tokens.ts";

/** The context object (`$$`). What AWS has below `Execution` stands below `Origin`, see prepare-definition.ts. */
export type StatesContext = NonNullable<RunOptions["context"]>;

/** What a run of a machine, and each nested run inside it, works with. */
export type RunScope = {
  functions: FunctionRunner;
  tokens: TaskTokens;
  activity: Activity;
  history: History;
  historyIsFull(): void;
  signal: AbortSignal;
  context: StatesContext;
};

/** The library wraps the error of a state; what counts is inside. */
export function rethrowCause(error: unknown): never {
  throw error instanceof ExecutionError ? error.cause : error;
}
