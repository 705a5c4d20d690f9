import * as z from "zod";

/** Spellings that clients use beside the canonical one: canonical → aliases. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

const aliasesBySchema = new WeakMap<z.ZodType, Aliases>();

/** Which alias an object was sent with, by the canonical name. */
const sentNames = new WeakMap<object, ReadonlyMap<PropertyKey, string>>();

/** Lets one schema read the spellings that clients use beside the canonical one; the canonical one wins. */
export function withAliases<S extends z.ZodType>(schema: S, aliases: Aliases) {
  const reading = z.preprocess((value) => withCanonicalNames(value, aliases), schema);
  aliasesBySchema.set(reading, aliases);
  return reading;
}

/** Aliases that a schema was given by `withAliases`. */
export function aliasesOf(schema: z.ZodType | undefined): Aliases {
  if (schema instanceof z.ZodOptional) return aliasesOf(schema.unwrap() as z.ZodType);
  return (schema && aliasesBySchema.get(schema)) ?? {};
}

/** The object with its canonical names beside those that were sent; what is no object stays as it is. */
export function withCanonicalNames(value: unknown, aliases: Aliases): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (Object.keys(aliases).length === 0) return value;
  const sent: Record<string, unknown> = { ...value };
  const names = new Map<PropertyKey, string>();
  for (const [canonical, others] of Object.entries(aliases)) {
    const given = others.find((other) => sent[other] !== undefined);
    if (sent[canonical] === undefined && given !== undefined) names.set(canonical, given);
  }
  sentNames.set(value, names);
  return { ...sent, ...Object.fromEntries([...names].map(([canonical, given]) => [canonical, sent[given]])) };
}

/** The path of a problem in the spelling that was sent: a client knows its own fields, not ours. */
export function sentPath(value: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  let at = value;
  return path.map((part) => {
    const holder = typeof at === "object" && at !== null ? at : {};
    const name = sentNames.get(holder)?.get(part) ?? part;
    at = Reflect.get(holder, name);
    return name;
  });
}
