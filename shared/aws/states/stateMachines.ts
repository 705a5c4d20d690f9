import { adapters } from "../adapters.ts";

/**
 * Starts an execution under a name that is used once (decisions 7.1). Starting the same name again is not an error:
 * that is how a caller that died half way, and its repetition, start exactly one execution.
 */
export async function startExecution(machine: string, name: string, input: unknown): Promise<void> {
  const text = JSON.stringify(input);
  await (adapters()?.stateMachines.start(machine, name, text) ??
    (await import("./stateMachinesInAws.ts")).start(machine, name, text));
}

/** Status of an execution by its name; undefined when there is none. */
export async function executionStatus(machine: string, name: string): Promise<string | undefined> {
  return (
    adapters()?.stateMachines.status(machine, name) ?? (await import("./stateMachinesInAws.ts")).status(machine, name)
  );
}

/** Ends an execution that was superseded; harmless when it is over or never began. */
export async function stopExecution(machine: string, name: string, cause: string): Promise<void> {
  await (adapters()?.stateMachines.stop(machine, name, cause) ??
    (await import("./stateMachinesInAws.ts")).stop(machine, name, cause));
}

/**
 * Ends a wait. @returns false when nobody waits on the token any more: it was settled, timed out, or its execution
 * was replaced by a newer attempt.
 */
export async function settleTask(taskToken: string, output: unknown): Promise<boolean> {
  const text = JSON.stringify(output);
  return (
    adapters()?.stateMachines.settle(taskToken, text) ??
    (await import("./stateMachinesInAws.ts")).settle(taskToken, text)
  );
}
