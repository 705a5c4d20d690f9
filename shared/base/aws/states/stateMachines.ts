import { log } from "../../settings/log.ts";
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

/** Reports the status of executions, like `executionStatus`; "UNKNOWN" for those that it no longer asks for. */
export type AskStatus = (machine: string, name: string) => Promise<string | undefined>;

/** Executions that did not run are asked for one by one; AWS lets an account ask 15 times a second, 10 in small regions. */
const mostAsked = 500;

/**
 * For callers that look at many executions, such as the reconciler: those that run are listed, a thousand a call, and
 * only the others are asked for one by one, at most 500 in all. What was listed may have ended a moment ago; the next
 * look finds it.
 */
export function manyExecutions(most = mostAsked): AskStatus {
  const listed = new Map<string, Promise<ReadonlySet<string>>>();
  let left = most;
  return async (machine, name) => {
    const running = listed.get(machine) ?? runningExecutions(machine);
    listed.set(machine, running);
    if ((await running).has(name)) return "RUNNING";
    if (left <= 0) return "UNKNOWN";
    left -= 1;
    return executionStatus(machine, name);
  };
}

/** Where they cannot be listed, all are asked for, as far as a look may. */
async function runningExecutions(machine: string): Promise<ReadonlySet<string>> {
  try {
    const names =
      adapters()?.stateMachines.running(machine) ?? (await import("./stateMachinesInAws.ts")).running(machine);
    return new Set(await names);
  } catch (error) {
    log.error("executions not listed", { machine, internal: String(error) });
    return new Set();
  }
}

/** Whether an execution is left alone: it runs, or its status is unknown. */
export function isLeftAlone(status: string | undefined): boolean {
  return status === "RUNNING" || status === "UNKNOWN";
}

/** Ends an execution that was superseded; harmless when it has ended or never began. */
export async function stopExecution(machine: string, name: string, cause: string): Promise<void> {
  await (adapters()?.stateMachines.stop(machine, name, cause) ??
    (await import("./stateMachinesInAws.ts")).stop(machine, name, cause));
}

/**
 * Ends a wait. @returns false when no execution waits on the token: it was settled, timed out, or its execution
 * was replaced by a newer attempt.
 */
export async function completeTask(taskToken: string, output: unknown): Promise<boolean> {
  const text = JSON.stringify(output);
  return (
    adapters()?.stateMachines.settle(taskToken, text) ??
    (await import("./stateMachinesInAws.ts")).settle(taskToken, text)
  );
}
