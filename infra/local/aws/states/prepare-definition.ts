import { StateMachine, type StateMachineDefinition } from "aws-local-stepfunctions";
import { type AslMachine, type AslState, nestedMachines } from "./asl.ts";
import { checkDefinition, INVOKE_AND_WAIT } from "./check-definition.ts";
import { type ChoiceRule, choiceRule } from "./choice-rules.ts";

/** What we play ourselves when the library comes to a state. */
export type Plan =
  | { kind: "task"; waitsForToken: boolean }
  | { kind: "map"; body: PreparedMachine; selector: StateMachine | undefined }
  | { kind: "parallel"; branches: PreparedMachine[] }
  | { kind: "wait"; seconds?: number; timestamp?: string }
  | { kind: "constant"; value: unknown };

/** A machine the library can run; `plans` and `types` (the real ones) by state name. */
export type PreparedMachine = {
  machine: StateMachine;
  plans: Record<string, Plan>;
  types: Record<string, string>;
  timeoutSeconds: number | undefined;
};

/** The library times every task with one timer of Node, which reaches 24.8 days: nothing lasts longer in one run. */
export const LONGEST_SECONDS = 2_147_483;

const UNVALIDATED = { validationOptions: { noValidate: true } };

/**
 * Checks a definition and writes it as the library runs it right. aws-local-stepfunctions 3.0.0 walks the states,
 * evaluates paths, templates and choices, retries and catches. What it gets wrong is settled here and in play-state.ts:
 * - After a failure Map goes on with the queued items, and the tasks and retries of aborted branches go on: Map, Parallel
 *   and Wait become tasks that we play, each nested machine as a run of its own with its own abort signal.
 * - A task without TimeoutSeconds ends after 60 s, TimeoutSecondsPath is read from the output of Parameters, there is no
 *   heartbeat: Parameters are wrapped so that timeout and heartbeat stand beside the request.
 * - `$$.Execution.Input` and `StartTime` are the branch's inside Map and Parallel: `$$.Execution` is read as `$$.Origin`,
 *   which we supply.
 * - ResultPath `$` makes a field `$`; a path `$` over null, 0, false or "" fails; a Pass with such a Result ignores it.
 * - `IsPresent: false` never matches, comparisons coerce types: choice-rules.ts.
 * - Paths with wildcards lose their list when one or nothing matches, and intrinsic functions that return text lose its
 *   backslashes: check-definition.ts refuses the former and JsonToString.
 * @throws Error naming what is wrong with the definition
 */
export function prepareDefinition(name: string, definition: object): PreparedMachine {
  const text = JSON.stringify(definition);
  checkDefinition(name, JSON.parse(text), JSON.parse(text));
  return prepareMachine(JSON.parse(text.replaceAll("$$.Execution.", () => "$$.Origin.")));
}

function prepareMachine({ StartAt, States, TimeoutSeconds }: AslMachine): PreparedMachine {
  const prepared = Object.entries(States).map(([name, state]) => ({ name, state, ...prepareState(tidy(state)) }));
  return {
    machine: libraryMachine({ StartAt, States: Object.fromEntries(prepared.map(({ name, form }) => [name, form])) }),
    plans: Object.fromEntries(prepared.flatMap(({ name, plan }) => (plan ? [[name, plan]] : []))),
    types: Object.fromEntries(prepared.map(({ name, state }) => [name, state.Type])),
    timeoutSeconds: TimeoutSeconds,
  };
}

function libraryMachine(machine: AslMachine): StateMachine {
  const definition: StateMachineDefinition = JSON.parse(JSON.stringify(machine));
  return new StateMachine(definition, UNVALIDATED);
}

function prepareState(state: AslState): { form: AslState; plan?: Plan } {
  if (state.Type === "Task") return prepareTask(state);
  if (state.Type === "Map") return prepareMap(state);
  if (state.Type === "Parallel") return prepareParallel(state);
  if (state.Type === "Wait") return prepareWait(state);
  if (state.Type === "Choice") return { form: { ...state, Choices: list<ChoiceRule>(state.Choices).map(choiceRule) } };
  if (state.Type === "Pass" && "Result" in state && !state.Result) {
    const { Parameters: _, ...form } = played(state);
    return { form, plan: { kind: "constant", value: state.Result } };
  }
  return { form: state };
}

function prepareTask(state: AslState): { form: AslState; plan: Plan } {
  const {
    TimeoutSeconds = LONGEST_SECONDS,
    TimeoutSecondsPath,
    HeartbeatSeconds,
    HeartbeatSecondsPath,
    ...rest
  } = state;
  const Parameters = {
    request: state.Parameters,
    ...(TimeoutSecondsPath ? { "timeoutSeconds.$": TimeoutSecondsPath } : { timeoutSeconds: TimeoutSeconds }),
    ...(HeartbeatSecondsPath ? { "heartbeatSeconds.$": HeartbeatSecondsPath } : { heartbeatSeconds: HeartbeatSeconds }),
  };
  const form = { ...rest, Parameters, TimeoutSecondsPath: "$.timeoutSeconds" };
  return { form, plan: { kind: "task", waitsForToken: state.Resource === INVOKE_AND_WAIT } };
}

function prepareMap(state: AslState): { form: AslState; plan: Plan } {
  const { ItemsPath = "$", MaxConcurrencyPath, MaxConcurrency = 0 } = state;
  const [body] = nestedMachines(state);
  if (!body) throw new Error("a Map state has no ItemProcessor");
  const template = state.ItemSelector ?? state.Parameters;
  const Parameters = {
    "input.$": "$",
    "items.$": ItemsPath,
    ...(MaxConcurrencyPath ? { "maxConcurrency.$": MaxConcurrencyPath } : { maxConcurrency: MaxConcurrency }),
  };
  return {
    form: { ...played(state), Parameters },
    plan: { kind: "map", body: prepareMachine(body), selector: selector(template) },
  };
}

/** Evaluates ItemSelector: templates are not an export of the library, a Pass state is. */
function selector(template: unknown): StateMachine | undefined {
  if (template === undefined) return undefined;
  return libraryMachine({ StartAt: "Select", States: { Select: { Type: "Pass", Parameters: template, End: true } } });
}

function prepareParallel(state: AslState): { form: AslState; plan: Plan } {
  return { form: played(state), plan: { kind: "parallel", branches: nestedMachines(state).map(prepareMachine) } };
}

function prepareWait(state: AslState): { form: AslState; plan: Plan } {
  const { Seconds, Timestamp, SecondsPath, TimestampPath } = state;
  if (typeof Seconds === "number") return { form: played(state), plan: { kind: "wait", seconds: Seconds } };
  if (typeof Timestamp === "string") return { form: played(state), plan: { kind: "wait", timestamp: Timestamp } };
  const when = SecondsPath ? { "seconds.$": SecondsPath } : { "timestamp.$": TimestampPath };
  return { form: { ...played(state), Parameters: { "input.$": "$", ...when } }, plan: { kind: "wait" } };
}

const COMMON_FIELDS = "InputPath Parameters ResultSelector ResultPath OutputPath Retry Catch Next End".split(" ");

/** The state as a task that has no timeout of its own. */
function played(state: AslState): AslState {
  const common = Object.entries(state).filter(([field]) => COMMON_FIELDS.includes(field));
  return { ...Object.fromEntries(common), Type: "Task", Resource: "played here", TimeoutSeconds: LONGEST_SECONDS };
}

/** Leaves out paths `$` and lets a missed heartbeat match States.Timeout too, as in AWS. */
function tidy(state: AslState): AslState {
  const isWhole = (field: string, value: unknown) => /^(Input|Result|Output)Path$/.test(field) && value === "$";
  const entries = Object.entries(state).filter(([field, value]) => !isWhole(field, value));
  const tidied: AslState = { ...Object.fromEntries(entries), Type: state.Type };
  for (const field of ["Retry", "Catch"]) {
    if (field in state) tidied[field] = list<ErrorRule>(state[field]).map(tidyErrorRule);
  }
  return tidied;
}

type ErrorRule = { ErrorEquals: string[]; ResultPath?: string | null };

function tidyErrorRule({ ResultPath, ...rule }: ErrorRule): ErrorRule {
  const path = ResultPath === undefined || ResultPath === "$" ? {} : { ResultPath };
  const more = rule.ErrorEquals.includes("States.Timeout") ? ["States.HeartbeatTimeout"] : [];
  return { ...rule, ...path, ErrorEquals: [...rule.ErrorEquals, ...more] };
}

function list<T>(value: T[] | unknown): T[] {
  return Array.isArray(value) ? value : [];
}
