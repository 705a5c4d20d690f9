import type { Problem } from "../../base/errors/apiError.ts";
import type { WorkflowJob, WorkflowStage } from "./definition.ts";

/** A job of a definition, with its place. */
export interface PlacedJob {
  job: WorkflowJob;
  /** Of the job. */
  path: string;
  stage: number;
  at: number;
  parallel: boolean;
}

/** All of a definition, in its order. */
export function placedJobs(stages: readonly WorkflowStage[]): PlacedJob[] {
  return stages.flatMap(({ jobs, parallel }, stage) =>
    jobs.map((job, at): PlacedJob => {
      return { job, path: `stages[${stage}].jobs[${at}]`, stage, at, parallel: parallel === true };
    }),
  );
}

/** Whether the first job ends before the second begins. */
export function runsBefore(first: PlacedJob, second: PlacedJob): boolean {
  return first.stage < second.stage || (first.stage === second.stage && !first.parallel && first.at < second.at);
}

export function bodyProblem(path: string, text: string): Problem {
  return { in: "body", path, problem: text };
}
