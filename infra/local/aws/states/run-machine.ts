import { HISTORY_LIMIT, type History } from "./history.ts";
import type { Json } from "./json.ts";
import { playState } from "./play-state.ts";
import type { PreparedMachine } from "./prepare-definition.ts";
import { type RunScope, rethrowCause } from "./run-scope.ts";

/** Runs a prepared machine to its end; the scope's signal ends it at once. @throws StateError or an error of the library */
export async function runMachine(prepared: PreparedMachine, input: Json, scope: RunScope): Promise<Json> {
  scope.signal.throwIfAborted();
  scope.activity.begin();
  const plays = Object.entries(prepared.plans).map(([name, plan]) => [
    name,
    (given: Json) => playState(plan, given, scope),
  ]);
  const overrides = { taskResourceLocalHandlers: Object.fromEntries(plays) };
  const run = prepared.machine.run(input, { overrides, context: scope.context });
  scope.signal.addEventListener("abort", run.abort);
  const written = writeHistory(prepared, run.eventLogs, scope);
  try {
    return await run.result;
  } catch (error) {
    return rethrowCause(error);
  } finally {
    scope.signal.removeEventListener("abort", run.abort);
    await written;
    scope.activity.end();
  }
}

type Events = ReturnType<PreparedMachine["machine"]["run"]>["eventLogs"];

async function writeHistory(prepared: PreparedMachine, events: Events, scope: RunScope): Promise<void> {
  for await (const event of events) {
    if (event.type === "StateEntered") write(scope.history, prepared, "Entered", event.state.name);
    if (event.type === "StateExited") write(scope.history, prepared, "Exited", event.state.name);
    if (scope.history.events.length >= HISTORY_LIMIT) scope.historyIsFull();
  }
}

function write(history: History, prepared: PreparedMachine, what: "Entered" | "Exited", name: string): void {
  const details = what === "Entered" ? "stateEnteredEventDetails" : "stateExitedEventDetails";
  history.add(`${prepared.types[name]}State${what}`, { [details]: { name } });
}
