import { RENDERED_LIMITS } from "../../manifest/limits.ts";
import { ManifestError, parseManifest } from "../../manifest/parseManifest.ts";
import { isRecord, type KubeObject } from "../../manifest/schema/kubeObject.ts";
import { at } from "../../manifest/workloads.ts";

/** The one Job that a text describes, or why it is none that can be run beside a workload. */
export function jobIn(text: string): { job: KubeObject } | { problem: string } {
  try {
    const [job, ...others] = parseManifest(text, RENDERED_LIMITS);
    if (job === undefined || others.length > 0) return { problem: "must be the manifest of one Job" };
    const problem = problemOf(job);
    return problem === undefined ? { job } : { problem };
  } catch (error) {
    if (error instanceof ManifestError) return { problem: `must be the manifest of one Job: ${error.message}` };
    throw error;
  }
}

function problemOf(job: KubeObject): string | undefined {
  if (job.kind !== "Job" || job.apiVersion !== "batch/v1")
    return `must be a Job of batch/v1, and is a ${job.kind} of ${job.apiVersion}`;
  if (job.metadata.namespace !== undefined) return "must leave metadata.namespace out: it runs beside the workload";
  if (!isRecord(at(job, ["spec", "template", "spec"]))) return "must have spec.template.spec";
  return at(job, ["spec", "suspend"]) === true ? "must not be suspended" : undefined;
}
