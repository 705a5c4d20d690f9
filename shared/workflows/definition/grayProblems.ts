import type { Problem } from "../../errors/apiError.ts";
import type { WorkflowStage } from "./definition.ts";
import { grayRelease } from "./kinds/grayRelease.ts";
import { bodyProblem, type PlacedJob, placedJobs, runsBefore } from "./placedJobs.ts";

/**
 * A gray release begins with a job that names none before it; the later ones name that one, run after each other, make more
 * and more pods new, and the last makes all of them new (contract W 5).
 */
export function grayProblems(stages: readonly WorkflowStage[]): Problem[] {
  const jobs = placedJobs(stages).filter(({ job }) => job.type === grayRelease.type);
  const firsts = jobs.filter((one) => fromOf(one) === "");
  return [
    ...firsts.flatMap((first) => releaseProblems(first, stepsOf(first, jobs))),
    ...jobs.filter((one) => fromOf(one) !== "").flatMap((step) => originProblems(step, firsts)),
    ...jobs.flatMap(twiceProblems),
  ];
}

function stepsOf({ job }: PlacedJob, jobs: readonly PlacedJob[]): PlacedJob[] {
  return jobs.filter((one) => fromOf(one) === job.name);
}

function releaseProblems(first: PlacedJob, steps: readonly PlacedJob[]): Problem[] {
  const place = scalePath(first);
  if (scaleOf(first) === 100)
    return [bodyProblem(place, "must be less than 100, since this is the first step of its release")];
  if (steps.length === 0)
    return [
      bodyProblem(first.path, `${first.job.name} needs a later job whose from_job names it, with gray_scale 100`),
    ];
  return steps.flatMap((step, at) => stepProblems(step, steps[at - 1] ?? first, at === steps.length - 1));
}

function stepProblems(step: PlacedJob, before: PlacedJob, isLast: boolean): Problem[] {
  const [scale, scaleBefore] = [scaleOf(step), scaleOf(before)];
  const place = scalePath(step);
  if (!runsBefore(before, step))
    return [bodyProblem(`${step.path}.spec.from_job`, `${before.job.name} does not run before this job`)];
  if (scale === undefined || scaleBefore === undefined) return [];
  if (isLast && scale !== 100) return [bodyProblem(place, "must be 100, since this is the last step of its release")];
  return scale > scaleBefore ? [] : [bodyProblem(place, `must be more than the ${scaleBefore} of ${before.job.name}`)];
}

function originProblems(step: PlacedJob, firsts: readonly PlacedJob[]): Problem[] {
  const from = fromOf(step);
  if (firsts.some(({ job }) => job.name === from)) return [];
  return [bodyProblem(`${step.path}.spec.from_job`, `${from} is not the first job of a gray release in this workflow`)];
}

/** A workload has one gray release at a time. */
function twiceProblems({ job, path }: PlacedJob): Problem[] {
  const targets: unknown[] = Array.isArray(job.spec?.targets) ? job.spec.targets : [];
  const names = targets.map((one) => (one as { workload_name?: unknown } | null)?.workload_name);
  return names.flatMap((name, at) =>
    names.indexOf(name) === at ? [] : [bodyProblem(`${path}.spec.targets[${at}]`, `names ${String(name)} again`)],
  );
}

function fromOf({ job }: PlacedJob): string {
  return typeof job.spec?.from_job === "string" ? job.spec.from_job : "";
}

/** Undefined where it is no number: the schema says so. */
function scaleOf({ job }: PlacedJob): number | undefined {
  return typeof job.spec?.gray_scale === "number" ? job.spec.gray_scale : undefined;
}

function scalePath({ path }: PlacedJob): string {
  return `${path}.spec.gray_scale`;
}
