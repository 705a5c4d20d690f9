import * as z from "zod";

/** Fields of a workflow as clients write them: programs in Go send null for what is empty. */
export const text = z.string("must be a text").nullish();
export const flag = z.boolean("must be true or false").nullish();
export const whole = z.int("must be a whole number").nullish();
/** A text that must be there. */
export const requiredText = z.string("must be a text");
/** One that says something, too. */
export const filledText = requiredText.min(1, "cannot be empty");
/** A program that writes YAML may leave a number unquoted. */
export const scalar = z.union([z.string(), z.number(), z.boolean()], "must be a text");
export const texts = z.array(z.string("must be a text"), "must be a list").nullish();

/** A list that may be left out; null means an empty one (contract W 0.1). */
export function listOf<T extends z.ZodType>(item: T) {
  return z
    .array(item, "must be a list")
    .nullish()
    .transform((list) => list ?? []);
}
