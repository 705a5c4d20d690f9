import type * as z from "zod";
import { ApiError } from "../../errors/apiError.ts";
import { readValue } from "../../values/readValue.ts";

/**
 * What a client sent for a job, in the form that its kind needs.
 * @param what named in front of every problem: `spec of job deploy`
 * @throws ApiError 6160 with all problems, each with its place
 */
export function readSpec<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const read = readValue(schema, value ?? {});
  if (read.refused === undefined) return read.data;
  const problems = read.refused.map(({ path, message }) => `${path.map(String).join(".") || "it"} ${message}`);
  throw new ApiError(6160, `${what}: ${problems.join("; ")}`);
}
