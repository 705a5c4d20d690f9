import * as z from "zod";

/** The answer of a mutation that has nothing to return (contract I 1.2). */
export const message = z.object({ message: z.literal("success") }).meta({ id: "Message" });
export const success = { message: "success" } as const;

/** What was taken although it is not in order. */
export const warning = z
  .object({
    code: z.string(),
    message: z.string(),
    line: z.int().meta({ description: "Of the text, from 1; 0 for what is no matter of the text" }),
  })
  .meta({ id: "Warning" });
type Warning = z.output<typeof warning>;

/** `{message: "success"}`, with what there is to warn of. */
export const successWithWarnings = z
  .object({ message: z.literal("success"), warnings: z.array(warning).optional() })
  .meta({ id: "MessageWithWarnings" });

export function successWith(warnings: readonly Warning[]): z.input<typeof successWithWarnings> {
  return warnings.length === 0 ? success : { ...success, warnings: [...warnings] };
}

/** `{message: "success"}` with the id of what was made. */
export const madeRecord = z.object({ message: z.literal("success"), id: z.string() });

const trueWords = ["true", "1", "t", "T", "TRUE", "True"];
const falseWords = ["false", "0", "f", "F", "FALSE", "False"];

/** A boolean in a query (contract I 1.10). */
export const queryBoolean = z
  .enum([...trueWords, ...falseWords], "must be true or false")
  .transform((word) => trueWords.includes(word));

/** A page number or size: absent or below 1 gives the default, above `most` is clamped, not a number is 400. */
export function pageInteger(fallback: number, most = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^-?\d{1,15}$/, "must be a whole number")
    .optional()
    .transform((text) => {
      const value = text === undefined ? fallback : Number(text);
      return value < 1 ? fallback : Math.min(value, most);
    });
}

/** `pageNum` and `pageSize` with their defaults. */
export const paging = { pageNum: pageInteger(1), pageSize: pageInteger(20, 200) };

/** A record id: 24 lowercase hex characters. */
export const recordId = z.string().regex(/^[0-9a-f]{24}$/, "must be 24 lowercase hex characters");

/** A path below the root of a repository, without empty parts and `.`. @param path what else is asked of it */
export function repositoryPath(path: z.ZodString) {
  return path
    .max(1024, "must have at most 1024 characters")
    .transform((text) =>
      text
        .split("/")
        .filter((part) => part !== "" && part !== ".")
        .join("/"),
    )
    .refine((text) => !text.split("/").includes(".."), "must lie in the repository");
}

/** A text that is not empty. */
export function filled(name: string, most = 1024) {
  return z
    .string(`${name} must be a text`)
    .min(1, { error: `${name} cannot be empty`, abort: true })
    .max(most, `must have at most ${most} characters`);
}

/** A name that people read: without characters that hide, break or reverse the text beside them. */
export function readableName(most: number) {
  return z
    .string("must be a text")
    .max(most, `must have at most ${most} characters`)
    .refine((name) => !/[\p{Cc}\p{Bidi_Control}]/u.test(name), "must not contain control or direction characters");
}

/** Where an image is: name with its registry, tag or digest. */
export function imageReference(name: string) {
  return filled(name, 1024).regex(
    /^[A-Za-z0-9][\w./:@-]*[A-Za-z0-9]$|^[A-Za-z0-9]$/,
    "must be an image reference such as registry.example.com/team/app:v1",
  );
}

/** Names of contract decisions 1.7: in paths, without a rule of their own. */
export function plainName(most = 64) {
  return z
    .string()
    .min(1, "cannot be empty")
    .max(most, `must have at most ${most} characters`)
    .refine(
      (name) => !/[/\\?#%\p{Cc}\p{Bidi_Control}]/u.test(name),
      "must not contain / \\ ? # %, control or direction characters",
    )
    .refine((name) => name === name.trim(), "must not begin or end with white space")
    .refine((name) => name !== "." && name !== "..", "must not be . or ..");
}

/** Contract P 20 with decisions 1.7: becomes a label value, so at most 63 and no hyphen at either end. */
export const projectKey = z
  .string()
  .regex(/^[a-z\d]([a-z-\d]*[a-z\d])?$/, "project key should match regex: ^[a-z-\\d]+$, without a hyphen at either end")
  .max(63, "project key must have at most 63 characters");

/** For a check of several fields at once: it runs beside those of single fields, which may have failed. */
export function isObject({ value }: z.core.ParsePayload): boolean {
  return typeof value === "object" && value !== null;
}

export const unixSeconds = z.number().int();
