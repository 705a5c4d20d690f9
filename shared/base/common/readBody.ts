import type * as z from "zod";
import { type Refused, readValue } from "./readValue.ts";

/** A union may tell of one member at a time: so many rounds find every null of a body that anybody writes. */
const mostRounds = 20;

/**
 * A JSON body as its schema reads it. Where the schema takes no null, a member that is null is an absent one: programs in Go
 * send null for every empty list and pointer (decisions 19.7). Where null is a value the schema takes it.
 */
export function readBody<S extends z.ZodType>(
  schema: S,
  body: unknown,
): { data: z.output<S>; refused?: undefined } | { refused: Refused[] } {
  let sent = body;
  for (let rounds = 1; ; rounds++) {
    const read = readValue(schema, sent);
    if (read.refused === undefined || rounds === mostRounds) return read;
    const nulls = read.refused.map(({ path }) => path).filter((path) => isNullMember(sent, path));
    if (nulls.length === 0) return read;
    sent = nulls.reduce(withoutMember, sent);
  }
}

/** An item of a list that is null is no absent member: the others would move up. */
function isNullMember(value: unknown, path: readonly PropertyKey[]): boolean {
  if (typeof path.at(-1) !== "string") return false;
  return path.reduce<unknown>((at, part) => (isHolder(at) ? Reflect.get(at, part) : undefined), value) === null;
}

function withoutMember(value: unknown, [first, ...rest]: readonly PropertyKey[]): unknown {
  if (first === undefined || !isHolder(value)) return value;
  if (Array.isArray(value)) return value.map((item, at) => (at === first ? withoutMember(item, rest) : item));
  const entries = Object.entries(value);
  const kept = rest.length === 0 ? entries.filter(([key]) => key !== first) : entries;
  return Object.fromEntries(kept.map(([key, item]) => [key, key === first ? withoutMember(item, rest) : item]));
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
