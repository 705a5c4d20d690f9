import * as z from "zod";

const dependency = z.object({
  name: z.string().regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,249}$/, "must be a chart name, letters, digits and -._"),
  version: z.coerce.string().default(""),
  repository: z.string().default(""),
});

/** A chart that a chart needs. */
export type ChartDependency = z.output<typeof dependency>;

/** What is read of a `Chart.yaml`. */
export const chartHeadSchema = z.object({
  apiVersion: z.enum(["v1", "v2"], "must be v1 or v2"),
  name: z
    .string("must be a text")
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,249}$/, "must be a chart name, letters, digits and -._"),
  version: z.coerce.string().regex(/^v?\d+\.\d+\.\d+[0-9A-Za-z.+-]*$/, "must be a version such as 1.2.3"),
  type: z.enum(["application", ""], "must be application: a library chart deploys nothing").nullish(),
  dependencies: z.array(dependency).nullish(),
});

/** Of a `Chart.lock`: the versions that were chosen of the ranges of its chart. */
export const chartLockSchema = z.object({ dependencies: z.array(dependency).nullish() });
