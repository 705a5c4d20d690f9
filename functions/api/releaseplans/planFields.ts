import * as z from "zod";

/** Characters of a name. */
export const longestName = 256;
export const longestText = 65_536;

export const text = (most: number) => z.string("must be a text").max(most, `must have at most ${most} characters`);
export const optionalText = (most = longestText) =>
  text(most)
    .nullish()
    .transform((value) => value ?? "");
export const name = text(longestName).regex(/\S/, "cannot be empty");
export const unixTime = z
  .int("must be a whole number of Unix seconds")
  .min(0, "must be 0 or more")
  .max(253_402_300_799, "must be Unix seconds, not milliseconds");
export const time = unixTime.nullish().transform((value) => value ?? 0);
export const wholeNumber = (most: number) =>
  z
    .int("must be a whole number")
    .min(0, "must be 0 or more")
    .max(most, `must be at most ${most}`)
    .nullish()
    .transform((value) => value ?? 0);
export const flag = z
  .boolean("must be true or false")
  .nullish()
  .transform((value) => value ?? false);
