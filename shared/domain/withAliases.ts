import * as z from "zod";

/** Lets one schema read the spellings that clients use beside the canonical one; the canonical one wins. */
export function withAliases<S extends z.ZodType>(schema: S, aliases: Readonly<Record<string, readonly string[]>>) {
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
