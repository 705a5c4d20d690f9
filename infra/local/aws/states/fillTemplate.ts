import { isObject, type Json } from "./json.ts";
import { type Context, readPath } from "./readPath.ts";

/** Fills in a payload template: keys that end in `.$` hold a path. @throws StateError States.Runtime */
export function fillTemplate(template: Json, input: Json, context: Context): Json {
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, input, context));
  if (!isObject(template)) return template;
  const entries = Object.entries(template).map(([key, value]): [string, Json] =>
    key.endsWith(".$")
      ? [key.slice(0, -2), readPath(String(value), input, context)]
      : [key, fillTemplate(value, input, context)],
  );
  return Object.fromEntries(entries);
}
