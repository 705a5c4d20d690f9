import type * as z from "zod";

/** For the `superRefine` of a list: every second entry with the same `field` is a problem of that entry. */
export function refuseDuplicates<Field extends string>(field: Field) {
  return (list: readonly Readonly<Record<Field, string>>[], context: z.core.$RefinementCtx): void => {
    const seen = new Set<string>();
    for (const [position, { [field]: value }] of list.entries()) {
      if (seen.has(value))
        context.addIssue({ code: "custom", path: [position, field], message: `duplicated ${field}: ${value}` });
      seen.add(value);
    }
  };
}
