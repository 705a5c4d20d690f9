import { type Dict, isDict } from "../model/object.ts";
import type { Type } from "./types.ts";

const cache = new WeakMap<Type, unknown>();

/** The zero value of a type as the typed server writes it: structs by value, required scalars, required lists as null. */
export function zeroValue(type: Type): unknown {
  if (type.kind !== "struct") return undefined;
  const known = cache.get(type);
  if (known) return known;
  const result: Dict = {};
  for (const field of type.fields.values()) {
    if (isDict(field.zero)) result[field.name] = zeroValue(field.type) ?? {};
    else if (field.zero !== undefined) result[field.name] = field.zero;
    else if (field.required && field.type.kind === "list" && !field.custom) result[field.name] = null;
  }
  cache.set(type, result);
  return result;
}
