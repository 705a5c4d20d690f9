import type { Json } from "./json.ts";
import { runtimeError } from "./stateError.ts";

/** The context object (`$$`). */
export type Context = { readonly [name: string]: Json };

/** Reads a path that points to one value, in the input (`$`) or the context object (`$$`). @throws StateError States.Runtime */
export function readPath(path: string, input: Json, context: Context): Json {
  const value = findPath(path, input, context);
  if (value === undefined) throw runtimeError(`The path '${path}' leads nowhere in the input`);
  return value;
}

/** As `readPath`; undefined where it leads nowhere. */
export function findPath(path: string, input: Json, context: Context): Json | undefined {
  const isContext = path.startsWith("$$");
  let value: unknown = isContext ? context : input;
  for (const [, name, index, quoted] of path.slice(isContext ? 2 : 1).matchAll(/\.([\w-]+)|\[(\d+)\]|\['([^']+)'\]/g)) {
    const key = name ?? index ?? quoted ?? "";
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return value as Json | undefined;
}
