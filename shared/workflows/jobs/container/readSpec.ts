import type * as z from "zod";
import { ApiError } from "../../../errors/apiError.ts";
import { readValue } from "../../../values/readValue.ts";
import type { WorkflowJob } from "../../definition/definition.ts";

/** What a job says, as its kind reads it. @throws ApiError 6160 naming the job and every field that is wrong */
export function readSpec<S extends z.ZodType>(schema: S, { name, spec }: WorkflowJob): z.output<S> {
  return readPart(schema, spec ?? {}, `job ${name}`);
}

/** @param what stands before each problem @throws ApiError 6160 */
export function readPart<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const read = readValue(schema, value);
  if (read.refused === undefined) return read.data;
  const problems = read.refused.map(({ path, message }) => `${path.map(String).join(".")} ${message}`);
  throw new ApiError(6160, `${what}: ${problems.join("; ")}`);
}
