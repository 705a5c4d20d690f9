import { ApiError } from "../../../base/errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";

/**
 * What a start call names, as the job has it.
 * @param found undefined: the job has none such
 * @param named as `service_list names web`
 * @throws ApiError 6160
 */
export function amongTargets<T>(
  found: T | undefined,
  job: Pick<WorkflowJob, "name">,
  named: string,
  among: "targets" | "services" = "targets",
): T {
  if (found !== undefined) return found;
  throw new ApiError(6160, `inputs of job ${job.name}: ${named}, which is not among its ${among}`);
}
