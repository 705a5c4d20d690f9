import { type AslMachine, type AslState, nestedMachines, TEMPLATE_FIELDS } from "./asl.ts";
import { isObject, type Json } from "./json.ts";

const INVOKE = "arn:aws:states:::lambda:invoke";
export const INVOKE_AND_WAIT = "arn:aws:states:::lambda:invoke.waitForTaskToken";

const TYPES = ["Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map"];
const DEFINITE_PATH = /^\$\$?(\.[\w-]+|\[\d+\]|\['[^']+'\])*$/;
const RESULT_PATH = /^\$(\.[\w-]+|\[\d+\])*$/;
const REFUSED_FIELDS = ["QueryLanguage", "Assign", "ItemReader", "ItemBatcher", "ResultWriter", "Credentials"];
const INTRINSICS = new Set(
  "Format Array ArrayLength ArrayContains ArrayGetItem ArrayPartition ArrayRange ArrayUnique MathAdd StringSplit UUID"
    .split(" ")
    .map((name) => `States.${name}`),
);

/**
 * Refuses, at start and by name, what would behave differently here than in AWS, and states that lead nowhere, so that a
 * definition that passes here means the same there. Whether it is valid Amazon States Language in all else is for the tests
 * of whoever wrote it: the schemas of asl-validator take longer to compile than all other parts of a start.
 * @throws Error listing every problem
 */
export function checkDefinition(name: string, machine: AslMachine): void {
  const problems = [...machineProblems(machine)];
  if (problems.length > 0) throw new Error(`state machine ${name}:\n${problems.join("\n")}`);
}

function* machineProblems(machine: AslMachine): Generator<string> {
  const named = (target: Json | undefined): boolean => typeof target === "string" && target in machine.States;
  if (!named(machine.StartAt)) yield `StartAt ${machine.StartAt} is not a state`;
  for (const [name, state] of Object.entries(machine.States)) {
    for (const problem of stateProblems(state)) yield `state ${name}: ${problem}`;
    for (const target of successorsOf(state))
      if (!named(target))
        yield `state ${name}: ${target === undefined ? "Next or End is missing" : `${target} is not a state`}`;
    for (const nested of nestedMachines(state)) yield* machineProblems(nested);
  }
}

/** Names of the states that may come after one; undefined where it says neither which one nor that it is the last. */
function successorsOf(state: AslState): (Json | undefined)[] {
  const rules = [state.Choices, state.Catch].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const onward = state.Default === undefined ? [] : [state.Default];
  const ends = state.End === true || ["Choice", "Succeed", "Fail"].includes(state.Type);
  return [...rules.map(({ Next }) => Next), ...onward, ...(ends ? [] : [state.Next])];
}

function* stateProblems(state: AslState): Generator<string> {
  if (!TYPES.includes(state.Type)) yield `Type ${state.Type} is not played here`;
  for (const field of REFUSED_FIELDS) {
    if (field in state && state[field] !== "JSONPath") yield `${field} is not played here`;
  }
  if (state.Type === "Task") yield* taskProblems(state);
  for (const [field, value] of Object.entries(state)) {
    if (field === "ResultPath") yield* resultPathProblems(value);
    else if (field.endsWith("Path")) yield* pathProblems(field, value);
    if (TEMPLATE_FIELDS.includes(field)) yield* templateProblems(value);
    if (field === "Choices") yield* choiceProblems(value);
  }
  for (const catcher of Array.isArray(state.Catch) ? state.Catch.filter(isObject) : []) {
    yield* resultPathProblems(catcher.ResultPath);
  }
}

function* taskProblems(state: AslState): Generator<string> {
  const waits = state.Resource === INVOKE_AND_WAIT;
  if (!waits && state.Resource !== INVOKE) yield `Resource must be ${INVOKE} or ${INVOKE_AND_WAIT}`;
  const parameters = JSON.stringify(state.Parameters ?? {});
  if (!parameters.includes('"FunctionName')) yield "Parameters.FunctionName is missing";
  if (waits !== parameters.includes("$$.Task.Token"))
    yield "$$.Task.Token belongs to .waitForTaskToken, and to it only";
}

function* resultPathProblems(path: unknown): Generator<string> {
  if (typeof path === "string" && !RESULT_PATH.test(path)) yield `ResultPath ${path} is not played here`;
}

function* pathProblems(field: string, path: unknown): Generator<string> {
  if (typeof path !== "string") return;
  if (!DEFINITE_PATH.test(path)) yield `${field} ${path}: only paths that point to one value are played here`;
  if (path.startsWith("$$.State.")) yield `${field} ${path}: $$.State is not played here`;
}

function* templateProblems(template: unknown): Generator<string> {
  if (typeof template !== "object" || template === null) return;
  for (const [key, value] of Object.entries(template)) {
    if (!key.endsWith(".$") || typeof value !== "string") yield* templateProblems(value);
    else if (value.startsWith("$")) yield* pathProblems(key, value);
    else yield* intrinsicProblems(value);
  }
}

function* intrinsicProblems(call: string): Generator<string> {
  for (const [name] of call.matchAll(/\bStates\.\w+(?=\()/g)) {
    if (!INTRINSICS.has(name)) yield `${name} is not played here`;
  }
}

function* choiceProblems(rule: unknown): Generator<string> {
  if (typeof rule !== "object" || rule === null) return;
  for (const [key, value] of Object.entries(rule)) {
    if (key === "Variable" || key.endsWith("Path")) yield* pathProblems(key, value);
    else yield* choiceProblems(value);
  }
}
