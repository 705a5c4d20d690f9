import type { Json } from "./json.ts";
import type { StatesContext } from "./run-scope.ts";
import { StateError } from "./state-error.ts";

/** Reads a path that points to one value, in the input (`$`) or the context object (`$$`). @throws StateError States.Runtime */
export function readPath(path: string, input: Json, context: StatesContext): Json {
  const isContext = path.startsWith("$$");
  let value: unknown = isContext ? context : input;
  for (const [, name, index, quoted] of path.slice(isContext ? 2 : 1).matchAll(/\.([\w-]+)|\[(\d+)\]|\['([^']+)'\]/g)) {
    const key = name ?? index ?? quoted ?? "";
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
    if (value === undefined)
      throw new StateError("States.Runtime", `The path '${path}' leads nowhere in the input`, false);
  }
  return value as Json;
}
