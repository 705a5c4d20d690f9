import * as z from "zod";
import { withAliases } from "../../../base/common/withAliases.ts";
import { refuseDuplicates } from "./refuseDuplicates.ts";
import { optionalText } from "./texts.ts";

export const keyValTypes = ["string", "choice", "multi-select", "image", "script", "file"] as const;

/** A variable of a job (contract W 1.5). */
export interface KeyVal {
  key: string;
  type: (typeof keyValTypes)[number];
  /** Of a multi-select: the chosen values, comma-joined. Empty in what is stored of a credential. */
  value: string;
  choiceOptions: readonly string[];
  choiceValues: readonly string[];
  isCredential: boolean;
  description: string;
  required: boolean;
}

/** Replaces a secret in responses; sent back, it keeps the stored one. */
export const maskedValue = "********";

/** Variables of one job, or of one target of a build. */
export const maxKeyVals = 100;
const maxValueCharacters = 65_536;

const value = z.string("must be a text").max(maxValueCharacters, `must have at most ${maxValueCharacters} characters`);
const choices = z.array(value).max(500, "must have at most 500 entries");

const type = z.enum(keyValTypes, `must be one of ${keyValTypes.join(", ")}`);

const sent = (typeInput: typeof type | z.ZodDefault<typeof type>) =>
  z
    .object({
      key: z
        .string("must be a text")
        .min(1, { error: "key cannot be empty", abort: true })
        .max(128, "must have at most 128 characters")
        .refine((key) => !/[\s=\p{Cc}]/u.test(key), "must be the name of a variable, without white space and ="),
      type: typeInput,
      value: value.optional(),
      choice_option: choices.nullish(),
      choice_value: choices.nullish(),
      is_credential: z.boolean("must be true or false").default(false),
      description: optionalText(1024).default(""),
      required: z.boolean("must be true or false").default(false),
    })
    .superRefine(({ value: given, choice_value: chosen }, context) => {
      if (given === undefined && !chosen?.length)
        context.addIssue({ code: "custom", path: ["value"], message: "is required; it may be an empty text" });
    })
    .transform((pair): KeyVal => {
      const chosen = pair.choice_value ?? [];
      const isList = pair.type === "multi-select";
      return {
        key: pair.key,
        type: pair.type,
        value: isList && chosen.length > 0 ? chosen.join(",") : (pair.value ?? ""),
        choiceOptions: pair.choice_option ?? [],
        choiceValues: chosen,
        isCredential: pair.is_credential,
        description: pair.description,
        required: pair.required,
      };
    });

/** Variables as callers send them: the specification's `default_value` (S 4.5) and the `value` of answers are the same. */
const inputs = (typeInput: Parameters<typeof sent>[0]) =>
  z
    .array(withAliases(sent(typeInput), { value: ["default_value"] }))
    .max(maxKeyVals, `must have at most ${maxKeyVals} variables`)
    .superRefine(refuseDuplicates("key"));

/** Variables whose keys are unique; a text where none says its type. */
export const keyValInputs = inputs(type.default("string"));
/** Those that a build declares, each with its type. */
export const declaredKeyVals = inputs(type);

/** A variable in an answer. */
export const shownKeyVal = z
  .object({
    key: z.string(),
    value: z.string(),
    type: z.enum(keyValTypes),
    choice_option: z.array(z.string()),
    choice_value: z.array(z.string()),
    is_credential: z.boolean(),
    description: z.string(),
    required: z.boolean(),
  })
  .meta({ id: "JobVariable" });

/** @param hasSecret whether a value is stored for a credential: it shows as stars, otherwise as nothing */
export function showKeyVal(pair: KeyVal, hasSecret: boolean): z.input<typeof shownKeyVal> {
  return {
    key: pair.key,
    value: pair.isCredential ? (hasSecret ? maskedValue : "") : pair.value,
    type: pair.type,
    choice_option: [...pair.choiceOptions],
    choice_value: pair.isCredential ? [] : [...pair.choiceValues],
    is_credential: pair.isCredential,
    description: pair.description,
    required: pair.required,
  };
}
