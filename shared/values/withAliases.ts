import * as z from "zod";

/** Every spelling that a schema reads beside its own, by the canonical one. */
const spellings = new Map<string, Set<string>>();

/** Lets one schema read the spellings that clients use beside the canonical one; the canonical one wins. */
export function withAliases<S extends z.ZodType>(schema: S, aliases: Readonly<Record<string, readonly string[]>>) {
  for (const [canonical, others] of Object.entries(aliases))
    spellings.set(canonical, new Set([...(spellings.get(canonical) ?? []), ...others]));
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const object: Record<string, unknown> = { ...value };
    for (const [canonical, others] of Object.entries(aliases)) {
      const given = others.find((other) => object[other] !== undefined);
      if (object[canonical] === undefined && given !== undefined) object[canonical] = object[given];
    }
    return object;
  }, schema);
}

/** The path of a problem in the spelling that was sent: a client knows its own fields, not ours. */
export function sentPath(value: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  let at = value;
  return path.map((part) => {
    const name = spelledIn(at, part);
    at = typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined;
    return name;
  });
}

function spelledIn(holder: unknown, part: PropertyKey): PropertyKey {
  if (typeof holder !== "object" || holder === null || typeof part !== "string") return part;
  if (Reflect.get(holder, part) !== undefined) return part;
  return [...(spellings.get(part) ?? [])].find((other) => Reflect.get(holder, other) !== undefined) ?? part;
}
