import { ApiError } from "../base/errors/apiError.ts";
import { Busy } from "../base/errors/busy.ts";
import type { ErrorCode } from "../base/errors/catalogue.ts";
import { describeClusterError } from "../kube/clusters/openCluster.ts";

/**
 * Runs `work`; what a cluster, a template or a manifest refuses becomes the given code with the reason as description,
 * anything that has a code already and every defect of ours passes. Where another change is under way it is 409.
 */
export async function failingWith<T>(code: ErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EnvironmentBusy) throw new Busy(error.message);
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    throw new ApiError(code, reason, { cause: error });
  }
}

/** Why it failed, for users; undefined for what is neither the caller's nor a cluster's doing. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof EnvironmentProblem) return error.message;
  if (
    [
      ...["TemplateError", "ManifestError", "RenderError", "RegistryLoginFailed", "UnknownGlobalError"],
      ...["ImagesRefused", "ChartProblem"],
    ].includes(error.name)
  )
    return error.message;
  return describeClusterError(error);
}

/** A reason why a change cannot be made, without a code of its own: the endpoint's code goes with it. */
export class EnvironmentProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EnvironmentProblem";
  }
}

/** The same while another change is being made: a moment later it may be possible (decisions 19.10). */
export class EnvironmentBusy extends EnvironmentProblem {}
