import type { Problem } from "../../errors/apiError.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
import type { WorkflowStage } from "./definition.ts";
import { jobKindOf } from "./jobKinds.ts";
import { jobIn } from "./jobManifest.ts";
import { bodyProblem, placedJobs } from "./placedJobs.ts";

/** What looks by a Job has the manifest of one. */
export function analysisProblems(stages: readonly WorkflowStage[]): Problem[] {
  return placedJobs(stages).flatMap(({ job, path }) => {
    const analysis = jobKindOf(job.type) === undefined ? undefined : job.spec?.analysis;
    return (Array.isArray(analysis) ? analysis : []).flatMap((entry: unknown, at) => {
      if (!isRecord(entry) || entry.provider !== "job" || typeof entry.query !== "string" || entry.query === "")
        return [];
      const found = jobIn(entry.query);
      return "problem" in found ? [bodyProblem(`${path}.spec.analysis[${at}].query`, found.problem)] : [];
    });
  });
}
