import * as z from "zod";
import type { ServiceVariable } from "../manifest/variables/serviceVariable.ts";

const variableTypes = ["bool", "string", "enum", "yaml"] as const;
const key = z.string().min(1, "key cannot be empty").max(256, "must have at most 256 characters");

/** Any JSON but nothing: a value that is left out is a mistake, not an empty text. */
const value = z.unknown().refine((given) => given !== undefined, "value is required");

/** A variable as callers send it (contract P 0.18). */
const sentKeyVal = z
  .object({
    key,
    value,
    type: z.enum(variableTypes, `must be one of ${variableTypes.join(", ")}`),
    options: z.array(z.string()).default([]),
    desc: z.string().default(""),
  })
  .transform((sent): ServiceVariable => ({ ...sent, value: sent.value }));

/** A list of variables whose keys are unique (contract P 20). */
export const keyValList = z.array(sentKeyVal).superRefine(refuseDuplicates);

/** Values for variables that are known already: type, options and desc are not the caller's to say. */
export const keyValueList = z
  .array(z.object({ key, value }).transform((sent) => ({ key: sent.key, value: sent.value })))
  .superRefine(refuseDuplicates);

/** Values of a chart template's variables: texts, however they are sent (contract P 1.3, 3.2). */
export const textValueList = keyValueList.transform((list) =>
  list.map(({ key, value }) => ({ key, value: typeof value === "string" ? value : JSON.stringify(value) })),
);

/** A variable in an answer: all five keys, always. */
export const keyVal = z
  .object({
    key: z.string(),
    value: z.unknown(),
    type: z.enum(variableTypes),
    options: z.array(z.string()),
    desc: z.string(),
  })
  .meta({ id: "KeyVal" });

function refuseDuplicates(list: readonly { key: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [position, { key }] of list.entries()) {
    if (seen.has(key)) context.addIssue({ code: "custom", path: [position, "key"], message: `duplicated key: ${key}` });
    seen.add(key);
  }
}
