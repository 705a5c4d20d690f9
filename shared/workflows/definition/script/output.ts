import * as z from "zod";

/** A value that a job leaves for later ones (contract W 7). */
export interface Output {
  name: string;
  description: string;
}

/** What every build leaves, declared or not. */
export const buildOutputs: readonly Output[] = [
  { name: "IMAGE", description: "" },
  { name: "PKG_FILE", description: "" },
];

export const outputName = z
  .string("must be a text")
  .regex(/^[a-zA-Z0-9_]{1,64}$/, "must have 1 to 64 letters, digits and underscores");

/** Names of outputs, each once. */
export const outputNames = z
  .array(outputName)
  .max(64, "must have at most 64 entries")
  .transform((names): Output[] => [...new Set(names)].map((name) => ({ name, description: "" })));

export const shownOutput = z.object({ name: z.string(), description: z.string() }).meta({ id: "JobOutput" });
