import { StateMachine, type StateMachineDefinition } from "aws-local-stepfunctions";
import { type AslMachine, type AslState, nestedMachines } from "./asl.ts";
import { checkDefinition, INVOKE_AND_WAIT } from "./check-definition.ts";
import { choiceRule } from "./choice-rules.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";

/** What we play ourselves when the library comes to a state. Seconds are a number or the path to one. */
export type Plan = { resultSelector?: Json | undefined } & (TaskPlan | MapPlan | ParallelPlan | WaitPlan | PassPlan);

export type TaskPlan = {
  kind: "task";
  waitsForToken: boolean;
  parameters: Json;
  timeout: number | string | undefined;
  heartbeat: number | string | undefined;
};
export type MapPlan = {
  kind: "map";
  body: PreparedMachine;
  itemsPath: string;
  selector: Json | undefined;
  maxConcurrency: Json;
  maxConcurrencyPath: string | undefined;
};
export type ParallelPlan = { kind: "parallel"; branches: PreparedMachine[]; parameters: Json | undefined };
export type WaitPlan = { kind: "wait"; until: { isTimestamp: boolean } & ({ path: string } | { value: Json }) };
type PassPlan = { kind: "pass"; result: Json | undefined; parameters: Json };

/** A machine the library can run; `plans` and `types` (the real ones) by state name. */
export type PreparedMachine = {
  machine: StateMachine;
  plans: Record<string, Plan>;
  types: Record<string, string>;
  timeoutSeconds: number | undefined;
};

/** The library times every task with one timer of Node, which reaches 24.8 days: no state lasts longer in one run. */
export const LONGEST_SECONDS = 2_147_483;

/**
 * Checks a definition and writes it as the library runs it right. aws-local-stepfunctions 3.0.0 walks the states, applies
 * InputPath, ResultPath and OutputPath, chooses, retries, catches, and evaluates intrinsic functions. What it gets wrong
 * is settled by playing Task, Map, Parallel, Wait and Pass ourselves as overridden tasks (play-state.ts) and by what is
 * rewritten here:
 * - After a failure Map goes on with the queued items, and the tasks and retries of aborted branches go on: each nested
 *   machine is a run of its own with its own abort signal.
 * - A task without TimeoutSeconds ends after 60 s; TimeoutSecondsPath is read from the output of Parameters; there are no
 *   heartbeats and task tokens; timers overflow after 24.8 days.
 * - `$$.Execution.Input` and `StartTime` are the branch's inside Map and Parallel: `$$.Execution` is read as `$$.Origin`,
 *   which we supply.
 * - The path `$` over null, 0, false or "" fails, ResultPath `$` makes a field `$`, Pass ignores such a Result: `$` is
 *   left out where it is the default, and templates are ours.
 * - `IsPresent: false` never matches and comparisons coerce types: choice-rules.ts.
 * - Paths with wildcards lose their list when one or nothing matches, and intrinsic functions lose the backslashes of the
 *   text they return: check-definition.ts refuses the former and JsonToString; States.Format still loses them.
 * @throws Error naming what is wrong with the definition
 */
export function prepareDefinition(name: string, definition: object): PreparedMachine {
  const text = JSON.stringify(definition);
  checkDefinition(name, JSON.parse(text));
  return prepareMachine(JSON.parse(text.replaceAll("$$.Execution.", () => "$$.Origin.")));
}

function prepareMachine({ StartAt, States, TimeoutSeconds }: AslMachine): PreparedMachine {
  const states = Object.entries(States);
  const plans = states.flatMap(([name, state]) => {
    const plan = planOf(state);
    return plan ? [[name, { ...plan, resultSelector: state.ResultSelector }] as const] : [];
  });
  const forms = states.map(([name, state]) => [name, libraryForm(state)]);
  const library: StateMachineDefinition = JSON.parse(JSON.stringify({ StartAt, States: Object.fromEntries(forms) }));
  return {
    machine: new StateMachine(library, { validationOptions: { noValidate: true } }),
    plans: Object.fromEntries(plans),
    types: Object.fromEntries(states.map(([name, state]) => [name, state.Type])),
    timeoutSeconds: TimeoutSeconds,
  };
}

function planOf(state: AslState): Plan | undefined {
  if (state.Type === "Task") return taskPlan(state);
  if (state.Type === "Map") return mapPlan(state);
  if (state.Type === "Wait") return { kind: "wait", until: waitUntil(state) };
  if (state.Type === "Pass") return passPlan(state);
  if (state.Type !== "Parallel") return undefined;
  return { kind: "parallel", branches: nestedMachines(state).map(prepareMachine), parameters: state.Parameters };
}

function taskPlan(state: AslState): TaskPlan {
  return {
    kind: "task",
    waitsForToken: state.Resource === INVOKE_AND_WAIT,
    parameters: state.Parameters ?? {},
    timeout: secondsOf(state.TimeoutSecondsPath ?? state.TimeoutSeconds),
    heartbeat: secondsOf(state.HeartbeatSecondsPath ?? state.HeartbeatSeconds),
  };
}

function secondsOf(value: Json | undefined): number | string | undefined {
  return typeof value === "number" || typeof value === "string" ? value : undefined;
}

function mapPlan(state: AslState): MapPlan {
  const [body] = nestedMachines(state);
  if (!body) throw new Error("a Map state has no ItemProcessor");
  return {
    kind: "map",
    body: prepareMachine(body),
    itemsPath: typeof state.ItemsPath === "string" ? state.ItemsPath : "$",
    selector: state.ItemSelector ?? state.Parameters,
    maxConcurrency: state.MaxConcurrency ?? 0,
    maxConcurrencyPath: typeof state.MaxConcurrencyPath === "string" ? state.MaxConcurrencyPath : undefined,
  };
}

function waitUntil({ Seconds, SecondsPath, Timestamp = null, TimestampPath }: AslState): WaitPlan["until"] {
  if (Seconds !== undefined) return { isTimestamp: false, value: Seconds };
  if (typeof SecondsPath === "string") return { isTimestamp: false, path: SecondsPath };
  if (typeof TimestampPath === "string") return { isTimestamp: true, path: TimestampPath };
  return { isTimestamp: true, value: Timestamp };
}

/** A Pass state that only passes on is left to the library. */
function passPlan({ Result, Parameters }: AslState): PassPlan | undefined {
  if (Result === undefined && Parameters === undefined) return undefined;
  return { kind: "pass", result: Result, parameters: Parameters ?? null };
}

const COMMON_FIELDS = ["InputPath", "ResultPath", "OutputPath", "Retry", "Catch", "Next", "End"];

/** The state as the library gets it: one that has a plan is a task there, whose handler plays the plan. */
function libraryForm(state: AslState): AslState {
  if (state.Type === "Choice") return { ...tidy(state), Choices: rules(state.Choices).map(choiceRule) };
  if (state.Type === "Succeed" || state.Type === "Fail" || (state.Type === "Pass" && !passPlan(state)))
    return tidy(state);
  const common = Object.entries(tidy(state)).filter(([field]) => COMMON_FIELDS.includes(field));
  const form = { ...Object.fromEntries(common), Type: "Task", Resource: "played here" };
  if (state.TimeoutSecondsPath) return { ...form, TimeoutSecondsPath: state.TimeoutSecondsPath };
  const { TimeoutSeconds = LONGEST_SECONDS } = state;
  return { ...form, TimeoutSeconds: Math.min(Number(TimeoutSeconds), LONGEST_SECONDS) };
}

/** Leaves out paths `$` and lets a missed heartbeat match States.Timeout too, as in AWS. */
function tidy(state: AslState): AslState {
  const entries = Object.entries(withoutWholePaths(state)).map(([field, value]) => {
    return [field, field === "Retry" || field === "Catch" ? rules(value).map(errorRule) : value];
  });
  return { ...Object.fromEntries(entries), Type: state.Type };
}

function errorRule(rule: JsonObject): JsonObject {
  const errors = Array.isArray(rule.ErrorEquals) ? rule.ErrorEquals : [];
  const more = errors.includes("States.Timeout") ? ["States.HeartbeatTimeout"] : [];
  return { ...withoutWholePaths(rule), ErrorEquals: [...errors, ...more] };
}

function withoutWholePaths<T>(fields: Record<string, T>): Record<string, T> {
  const isWhole = ([field, value]: [string, T]) => /^(Input|Result|Output)Path$/.test(field) && value === "$";
  return Object.fromEntries(Object.entries(fields).filter((entry) => !isWhole(entry)));
}

function rules(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
