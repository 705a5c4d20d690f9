import type * as z from "zod";
import { readValue } from "../../base/common/readValue.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import type { WorkflowJob } from "../definition/definition.ts";

/** What a job says, as its kind reads it. @throws ApiError 6160 naming the job and every field that is wrong */
export function readSpec<S extends z.ZodType>(kind: { schema: S }, { name, spec }: WorkflowJob): z.output<S> {
  return readPart(kind.schema, spec ?? {}, `spec of job ${name}`);
}

/** The parameters of a start call. @throws likewise */
export function readInputs<S extends z.ZodType>(schema: S, parameters: unknown, { name }: WorkflowJob): z.output<S> {
  return readPart(schema, parameters, `inputs of job ${name}`);
}

/** @param what precedes the problems, each of which has its place @throws ApiError 6160 */
export function readPart<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const read = readValue(schema, value);
  if (read.refused === undefined) return read.data;
  const problems = read.refused.map(({ path, message }) => `${path.map(String).join(".") || "it"} ${message}`);
  throw new ApiError(6160, `${what}: ${problems.join("; ")}`);
}
