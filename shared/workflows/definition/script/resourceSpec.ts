import * as z from "zod";
import { withAliases } from "../../../base/common/withAliases.ts";
import { optionalText } from "./texts.ts";

/** What a job asks of its node: numbers of its own (`define`), or a named size (contract W 11.1). */
export interface ResourceSpec {
  preset: "high" | "medium" | "low" | "min" | "define";
  /** Thousandths of a CPU; 0: no limit. */
  cpuLimitMillis: number;
  memoryLimitMebibytes: number;
  cpuRequestMillis: number;
  memoryRequestMebibytes: number;
  /** `<resource name>: <n>`; empty: none. */
  gpuLimit: string;
}

/** What a job without settings of its own is shown with (contract W 10.1). */
export const defaultResources: ResourceSpec = {
  preset: "low",
  cpuLimitMillis: 1000,
  memoryLimitMebibytes: 512,
  cpuRequestMillis: 0,
  memoryRequestMebibytes: 0,
  gpuLimit: "",
};

/** Some 1,000 CPUs and 1 TiB: what no node has, and no number that Kubernetes would refuse. */
const amount = z.int("must be a whole number").min(0, "must be at least 0").max(1_048_576, "must be at most 1048576");

const sent = z
  .object({
    cpu_limit: amount,
    memory_limit: amount,
    cpu_req: amount,
    memory_req: amount,
    gpu_limit: optionalText()
      .regex(/^$|^\s*[\w./-]+\s*:\s*\d{1,4}\s*$/, "must be <resource name>: <n>")
      .default(""),
  })
  .superRefine((spec, context) => {
    for (const sort of ["cpu", "memory"] as const) {
      const [request, limit] = [spec[`${sort}_req`], spec[`${sort}_limit`]];
      if (limit > 0 && request > limit)
        context.addIssue({ code: "custom", path: [`${sort}_req`], message: `must not be above ${sort}_limit` });
    }
  })
  .transform(
    (spec): ResourceSpec => ({
      preset: "define",
      cpuLimitMillis: spec.cpu_limit,
      memoryLimitMebibytes: spec.memory_limit,
      cpuRequestMillis: spec.cpu_req,
      memoryRequestMebibytes: spec.memory_req,
      gpuLimit: spec.gpu_limit,
    }),
  );

/** CPU in m, memory in Mi. Builds say `cpu_req`, scans `cpu_request` (contract W 12.1). */
export const resourceSpecInput = withAliases(sent, { cpu_req: ["cpu_request"], memory_req: ["memory_request"] });

export const shownResourceSpec = z
  .object({
    cpu_limit: z.int(),
    memory_limit: z.int(),
    cpu_req: z.int(),
    memory_req: z.int(),
    gpu_limit: z.string(),
  })
  .meta({ id: "ResourceSpec" });

export function showResourceSpec(spec: ResourceSpec): z.input<typeof shownResourceSpec> {
  return {
    cpu_limit: spec.cpuLimitMillis,
    memory_limit: spec.memoryLimitMebibytes,
    cpu_req: spec.cpuRequestMillis,
    memory_req: spec.memoryRequestMebibytes,
    gpu_limit: spec.gpuLimit,
  };
}
