import { setMaxListeners } from "node:events";
import type { FunctionRunner } from "../functions/functionRunner.ts";
import { longTimer } from "../longTimer.ts";
import type { Activity } from "./activity.ts";
import { holds } from "./choose.ts";
import { fillTemplate } from "./fillTemplate.ts";
import { type History, maxEvents } from "./history.ts";
import { isObject, type Json } from "./json.ts";
import type { Machine, MapState, State, WaitState, WorkingState } from "./machine.ts";
import { playTask } from "./playTask.ts";
import { type Context, readPath } from "./readPath.ts";
import { matches, runtimeError, StateError } from "./stateError.ts";
import type { TaskTokens } from "./taskTokens.ts";

/** What a run of a machine, and each nested run inside it, works with. */
export type RunScope = {
  functions: FunctionRunner;
  tokens: TaskTokens;
  activity: Activity;
  history: History;
  historyIsFull(): void;
  /** Aborted with a StateError when the run has ended; nothing begins after that. */
  signal: AbortSignal;
  context: Context;
};

/** Inline Map runs at most this many items at once when MaxConcurrency is 0. */
const unlimitedConcurrency = 40;

/** What a state, and an execution, may put out. */
export const maxDataBytes = 256 * 1024;

/**
 * Plays the states of a machine from the first to the last and answers what the last one put out.
 * @throws StateError of the state that failed, or the reason of the signal
 */
export async function playMachine({ StartAt, States }: Machine, input: Json, scope: RunScope): Promise<Json> {
  scope.activity.begin();
  try {
    let data = input;
    for (let name: string | undefined = StartAt; name !== undefined; ) {
      scope.signal.throwIfAborted();
      const state: State | undefined = States[name];
      if (state === undefined) throw runtimeError(`There is no state ${name}`);
      note(scope, state, "Entered", name);
      const exit = await playState(state, data, scope);
      data = limited(exit.output);
      note(scope, state, "Exited", name);
      name = exit.next;
    }
    return data;
  } finally {
    scope.activity.end();
  }
}

function note({ history, historyIsFull }: RunScope, state: State, what: "Entered" | "Exited", name: string): void {
  const details = what === "Entered" ? "stateEnteredEventDetails" : "stateExitedEventDetails";
  history.add(`${state.Type}State${what}`, { [details]: { name } });
  if (history.events.length >= maxEvents) historyIsFull();
}

/** What a state put out, and the state after it. */
type Exit = { output: Json; next: string | undefined };

async function playState(state: State, data: Json, scope: RunScope): Promise<Exit> {
  if (state.Type === "Fail") throw new StateError(state.Error ?? "", state.Cause ?? "");
  const input = through(state.InputPath, data, scope.context);
  const put = (output: Json) => through(state.OutputPath, output, scope.context);
  switch (state.Type) {
    case "Succeed":
      return { output: put(input), next: undefined };
    case "Choice": {
      const chosen = state.Choices.find((rule) => holds(rule, input, scope.context));
      const next = chosen?.Next ?? state.Default;
      if (next === undefined) throw new StateError("States.NoChoiceMatched", "No rule matched and there is no default");
      return { output: put(input), next };
    }
    case "Wait":
      await sleep(millisecondsOf(state, input, scope.context), scope.signal);
      return { output: put(input), next: state.Next };
    case "Pass": {
      const { Result, Parameters, ResultPath } = state;
      const given = Parameters === undefined ? input : fillTemplate(Parameters, input, scope.context);
      return { output: put(placed(ResultPath, data, Result === undefined ? given : Result)), next: state.Next };
    }
    default: {
      const worked = await work(state, data, input, scope);
      return "caught" in worked ? worked.caught : { output: put(worked.output), next: state.Next };
    }
  }
}

/** Does the work of a state, again and again as its retriers say, or answers where a catcher leads. */
async function work(
  state: WorkingState,
  data: Json,
  input: Json,
  scope: RunScope,
): Promise<{ output: Json } | { caught: Exit }> {
  const tries = new Map<object, number>();
  for (;;) {
    try {
      const result = limited(await resultOf(state, input, scope));
      const { ResultSelector, ResultPath } = state;
      const selected = ResultSelector === undefined ? result : fillTemplate(ResultSelector, result, scope.context);
      return { output: placed(ResultPath, data, selected) };
    } catch (error) {
      scope.signal.throwIfAborted();
      if (!(error instanceof StateError)) throw error;
      const retrier = state.Retry?.find(({ ErrorEquals }) => matches(ErrorEquals, error));
      const done = retrier === undefined ? 0 : (tries.get(retrier) ?? 0);
      if (retrier !== undefined && done < retrier.MaxAttempts) {
        tries.set(retrier, done + 1);
        const seconds = retrier.IntervalSeconds * retrier.BackoffRate ** done;
        const longest = Math.min(seconds, retrier.MaxDelaySeconds ?? seconds) * 1000;
        await sleep(retrier.JitterStrategy === "FULL" ? Math.random() * longest : longest, scope.signal);
        continue;
      }
      const catcher = state.Catch?.find(({ ErrorEquals }) => matches(ErrorEquals, error));
      if (catcher === undefined) throw error;
      const output = placed(catcher.ResultPath, data, { Error: error.name, Cause: error.message });
      return { caught: { output, next: catcher.Next } };
    }
  }
}

function resultOf(state: WorkingState, input: Json, scope: RunScope): Promise<Json> {
  if (state.Type === "Task") return playTask(state, input, scope);
  if (state.Type === "Map") return playMap(state, input, scope);
  const given = state.Parameters === undefined ? input : fillTemplate(state.Parameters, input, scope.context);
  const runs = state.Branches.map((branch) => (inner: RunScope) => playMachine(branch, given, inner));
  return runAll(runs, runs.length, scope);
}

async function playMap(state: MapState, input: Json, scope: RunScope): Promise<Json> {
  const { ItemsPath, ItemSelector, ItemProcessor, MaxConcurrency, MaxConcurrencyPath } = state;
  const items = readPath(ItemsPath, input, scope.context);
  if (!Array.isArray(items)) throw runtimeError(`${ItemsPath} does not point to a list`);
  const limit = MaxConcurrencyPath === undefined ? MaxConcurrency : readPath(MaxConcurrencyPath, input, scope.context);
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 0)
    throw runtimeError("MaxConcurrency must be a whole number of 0 or more");
  const runs = items.map((item, index) => (inner: RunScope) => {
    const context = { ...inner.context, Map: { Item: { Index: index, Value: item } } };
    const given = ItemSelector === undefined ? item : fillTemplate(ItemSelector, input, context);
    return playMachine(ItemProcessor, given, { ...inner, context });
  });
  return runAll(runs, limit || unlimitedConcurrency, scope);
}

/** Runs nested machines, at most `limit` at once, in their order. The first failure ends the others and begins no more. */
async function runAll(runs: ((inner: RunScope) => Promise<Json>)[], limit: number, scope: RunScope): Promise<Json[]> {
  const aborter = new AbortController();
  const signal = AbortSignal.any([scope.signal, aborter.signal]);
  setMaxListeners(0, signal);
  const results: Json[] = [];
  const queue = runs.entries();
  const worker = async (): Promise<void> => {
    for (const [index, run] of queue) results[index] = await run({ ...scope, signal });
  };
  scope.activity.end();
  try {
    await Promise.all(Array.from({ length: Math.min(limit, runs.length) }, worker));
    return results;
  } finally {
    scope.activity.begin();
    aborter.abort(new StateError("States.Aborted", "another branch failed", false));
  }
}

function millisecondsOf(state: WaitState, input: Json, context: Context): number {
  const { Seconds, SecondsPath, Timestamp, TimestampPath } = state;
  const seconds = SecondsPath === undefined ? Seconds : readPath(SecondsPath, input, context);
  const until = TimestampPath === undefined ? Timestamp : readPath(TimestampPath, input, context);
  const milliseconds = seconds === undefined ? Date.parse(String(until)) - Date.now() : Number(seconds) * 1000;
  if (Number.isNaN(milliseconds)) throw runtimeError("The time to wait for is not a time");
  return milliseconds;
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = longTimer(milliseconds, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** What InputPath or OutputPath lets through. */
function through(path: string | null | undefined, data: Json, context: Context): Json {
  if (path === undefined) return data;
  return path === null ? {} : readPath(path, data, context);
}

/** A result where ResultPath puts it: in the place of the input, beside what is there, or nowhere. */
function placed(path: string | null | undefined, data: Json, result: Json): Json {
  if (path === null) return data;
  const [, ...fields] = (path ?? "$").split(".");
  return insert(data, fields, result);
}

function insert(data: Json | undefined, [field, ...rest]: string[], result: Json): Json {
  if (field === undefined) return result;
  if (data !== undefined && !isObject(data))
    throw new StateError("States.ResultPathMatchFailure", `The input has no field ${field} to put the result in`);
  const before = data !== undefined && Object.hasOwn(data, field) ? data[field] : undefined;
  return { ...data, [field]: insert(before, rest, result) };
}

function limited(output: Json): Json {
  if (Buffer.byteLength(JSON.stringify(output)) <= maxDataBytes) return output;
  throw new StateError("States.DataLimitExceeded", "the output is larger than 256 KiB", false);
}
