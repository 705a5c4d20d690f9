import * as z from "zod";
import { partition } from "../../../../functions/engine/lambdaTask.ts";
import { ruleProblems } from "./choose.ts";
import { isObject, type Json } from "./json.ts";

/** The resources of tasks that are played: a call of a function, and one that waits for its token. */
const invocation = "arn:aws:states:::lambda:invoke";
export const invocationWithToken = "arn:aws:states:::lambda:invoke.waitForTaskToken";

const path = z
  .string()
  .regex(/^\$\$?(\.[\w-]+|\[\d+\]|\['[^']+'\])*$/, "only paths that point to one value are played here")
  .refine((text) => !text.startsWith("$$.State."), "$$.State is not played here");
const placePath = z.string().regex(/^\$(\.[\w-]+)*$/, "only fields below fields are played here");
const seconds = z.int().positive();

/** A payload template: keys that end in `.$` hold paths. */
const template = z.json().superRefine((value, context) => {
  for (const problem of templateProblems(value)) context.addIssue({ code: "custom", message: problem });
});

function* templateProblems(value: Json): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!key.endsWith(".$")) yield* templateProblems(inner);
    else if (!path.safeParse(inner).success) yield `${key} ${inner} is not played here, only a path to one value is`;
  }
}

const comment = { Comment: z.string().optional() };
const input = { ...comment, InputPath: path.nullable().optional() };
const io = { ...input, OutputPath: path.nullable().optional() };
const onward = { Next: z.string().optional(), End: z.literal(true).optional() };
const worked = {
  ...io,
  ...onward,
  ResultSelector: template.optional(),
  ResultPath: placePath.nullable().optional(),
  Retry: z
    .array(
      z.strictObject({
        ...comment,
        ErrorEquals: z.array(z.string()),
        IntervalSeconds: seconds.default(1),
        MaxAttempts: z.int().min(0).default(3),
        BackoffRate: z.number().min(1).default(2),
        MaxDelaySeconds: seconds.optional(),
        JitterStrategy: z.enum(["FULL", "NONE"]).default("NONE"),
      }),
    )
    .optional(),
  Catch: z
    .array(
      z.strictObject({
        ...comment,
        ErrorEquals: z.array(z.string()),
        ResultPath: placePath.nullable().optional(),
        Next: z.string(),
      }),
    )
    .optional(),
};

const task = z
  .strictObject({
    ...worked,
    Type: z.literal("Task"),
    Resource: z.enum([invocation, invocationWithToken]),
    Parameters: template,
    TimeoutSeconds: seconds.optional(),
    TimeoutSecondsPath: path.optional(),
    HeartbeatSeconds: seconds.optional(),
    HeartbeatSecondsPath: path.optional(),
  })
  .refine(
    ({ Parameters }) => JSON.stringify(Parameters).includes('"FunctionName'),
    "Parameters.FunctionName is missing",
  )
  .refine(
    ({ Resource, Parameters }) =>
      (Resource === invocationWithToken) === JSON.stringify(Parameters).includes("$$.Task.Token"),
    "$$.Task.Token belongs to .waitForTaskToken, and to it only",
  );

const choiceRule = z
  .object({ Next: z.string() })
  .catchall(z.json())
  .superRefine((rule, context) => {
    for (const message of ruleProblems(rule)) context.addIssue({ code: "custom", message });
  });
const choice = z.strictObject({
  ...io,
  Type: z.literal("Choice"),
  Choices: z.array(choiceRule).min(1),
  Default: z.string().optional(),
});
const wait = z.strictObject({
  ...io,
  ...onward,
  Type: z.literal("Wait"),
  Seconds: z.int().min(0).optional(),
  SecondsPath: path.optional(),
  Timestamp: z.iso.datetime({ offset: true }).optional(),
  TimestampPath: path.optional(),
});
const pass = z.strictObject({
  ...io,
  ...onward,
  Type: z.literal("Pass"),
  Result: z.json().optional(),
  Parameters: template.optional(),
  ResultPath: placePath.nullable().optional(),
});
const succeed = z.strictObject({ ...io, Type: z.literal("Succeed") });
const fail = z.strictObject({
  ...comment,
  Type: z.literal("Fail"),
  Error: z.string().optional(),
  Cause: z.string().optional(),
});
const nested: z.ZodType<Machine> = z.lazy(() => machine);
const map = z.strictObject({
  ...worked,
  Type: z.literal("Map"),
  ItemsPath: path.default("$"),
  ItemSelector: template.optional(),
  /** 0: as many as AWS runs at once. */
  MaxConcurrency: z.int().min(0).default(0),
  MaxConcurrencyPath: path.optional(),
  ItemProcessor: nested,
});
const parallel = z.strictObject({
  ...worked,
  Type: z.literal("Parallel"),
  Parameters: template.optional(),
  Branches: z.array(nested),
});

const state = z.discriminatedUnion("Type", [task, choice, wait, pass, succeed, fail, map, parallel], {
  error: ({ input: given }) => `Type ${isObject(given) ? given.Type : given} is not played here`,
});
const machine = z.strictObject({
  ...comment,
  ProcessorConfig: z.strictObject({ Mode: z.literal("INLINE") }).optional(),
  StartAt: z.string(),
  TimeoutSeconds: seconds.optional(),
  States: z.record(z.string(), state),
});

export interface Machine {
  StartAt: string;
  TimeoutSeconds?: number | undefined;
  States: Readonly<Record<string, State>>;
}
export type State = z.output<typeof state>;
export type TaskState = z.output<typeof task>;
export type WaitState = z.output<typeof wait>;
export type MapState = z.output<typeof map>;
/** A state whose work may fail, be retried and be caught. */
export type WorkingState = TaskState | MapState | z.output<typeof parallel>;

/**
 * A definition in Amazon States Language (https://states-language.net/spec.html), JSONPath, as far as it is played
 * here. The rest is refused, so that a definition that passes means the same as in AWS. That it is valid in all else is
 * for the tests of its author: the schemas of asl-validator take longer to compile than all other parts of a start.
 * @throws Error naming the machine, its states and what is wrong with them
 */
export function readMachine(name: string, definition: object): Machine {
  const read = machine.safeParse(JSON.parse(JSON.stringify(definition).replaceAll(partition, "aws")));
  const problems = read.success
    ? [...linkProblems(read.data)]
    : read.error.issues.map(
        ({ path: at, message }) => `${at.filter((part) => part !== "States").join(".")}: ${message}`,
      );
  if (!read.success || problems.length > 0) throw new Error(`state machine ${name}:\n${problems.join("\n")}`);
  return read.data;
}

/** States that are not defined or that lead nowhere. */
function* linkProblems({ StartAt, States }: Machine): Generator<string> {
  if (!Object.hasOwn(States, StartAt)) yield `StartAt ${StartAt} is not a state`;
  for (const [name, state] of Object.entries(States)) {
    for (const next of successorsOf(state)) {
      if (next === undefined) yield `${name}: Next or End is missing`;
      else if (!Object.hasOwn(States, next)) yield `${name}: ${next} is not a state`;
    }
    for (const inner of nestedMachines(state)) yield* linkProblems(inner);
  }
}

/** Names of the states that may come after one; undefined where it says neither which one nor that it is the last. */
function successorsOf(state: State): (string | undefined)[] {
  if (state.Type === "Succeed" || state.Type === "Fail") return [];
  if (state.Type === "Choice")
    return [...state.Choices.map(({ Next }) => Next), ...(state.Default === undefined ? [] : [state.Default])];
  const caught = "Catch" in state ? (state.Catch ?? []).map(({ Next }) => Next) : [];
  return state.End === true ? caught : [...caught, state.Next];
}

/** The machines inside a Map or Parallel state. */
export function nestedMachines(state: State): readonly Machine[] {
  if (state.Type === "Map") return [state.ItemProcessor];
  return state.Type === "Parallel" ? state.Branches : [];
}
