import { StateMachine } from "aws-local-stepfunctions";
import { isObject, type Json } from "./json.ts";
import { readPath } from "./read-path.ts";
import { rethrowCause, type StatesContext } from "./run-scope.ts";

/** Fills in a payload template: keys that end in `.$` hold a path or an intrinsic function. @throws StateError */
export async function evaluateTemplate(template: Json, input: Json, context: StatesContext): Promise<Json> {
  if (Array.isArray(template)) return Promise.all(template.map((item) => evaluateTemplate(item, input, context)));
  if (!isObject(template)) return template;
  const entries = Object.entries(template).map(async ([key, value]): Promise<[string, Json]> => {
    if (!key.endsWith(".$") || typeof value !== "string") return [key, await evaluateTemplate(value, input, context)];
    const name = key.slice(0, -2);
    return [name, value.startsWith("$") ? readPath(value, input, context) : await callIntrinsic(value, input, context)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The library's intrinsic functions are not an export; a Pass state evaluates them. */
async function callIntrinsic(call: string, input: Json, context: StatesContext): Promise<Json> {
  const States = { Call: { Type: "Pass", Parameters: { "value.$": call }, OutputPath: "$.value", End: true } } as const;
  const machine = new StateMachine({ StartAt: "Call", States }, { validationOptions: { noValidate: true } });
  return machine.run(input, { context }).result.catch(rethrowCause);
}
