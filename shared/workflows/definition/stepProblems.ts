import type { Problem } from "../../base/errors/apiError.ts";
import { kind as istioRelease } from "../jobs/istio-release/kind.ts";
import { kind as grayRelease } from "../jobs/k8s-gray-release/kind.ts";
import type { WorkflowStage } from "./definition.ts";
import { bodyProblem, type PlacedJob, placedJobs, runsBefore } from "./placedJobs.ts";

/** A kind of release in steps, and the field that says how much of it is new after a step, in per cent. */
interface Steps {
  type: string;
  field: string;
  what: string;
}

const kinds: readonly Steps[] = [
  { type: grayRelease.type, field: "gray_scale", what: "a gray release" },
  { type: istioRelease.type, field: "weight", what: "a release by Istio" },
];

/**
 * A release in steps begins with a job that names none before it; the later ones name that one, run after each other, make
 * more and more new, and the last makes all of it new (contract W 5).
 */
export function stepProblems(stages: readonly WorkflowStage[]): Problem[] {
  const all = placedJobs(stages);
  return kinds.flatMap((kind) => {
    const jobs = all.filter(({ job }) => job.type === kind.type);
    const firsts = jobs.filter((one) => fromOf(one) === "");
    return [
      ...firsts.flatMap((first) => releaseProblems(kind, first, stepsOf(first, jobs))),
      ...jobs.filter((one) => fromOf(one) !== "").flatMap((step) => originProblems(kind, step, firsts)),
      ...jobs.flatMap(twiceProblems),
    ];
  });
}

function stepsOf({ job }: PlacedJob, jobs: readonly PlacedJob[]): PlacedJob[] {
  return jobs.filter((one) => fromOf(one) === job.name);
}

function releaseProblems(kind: Steps, first: PlacedJob, steps: readonly PlacedJob[]): Problem[] {
  const place = sharePath(kind, first);
  if (shareOf(kind, first) === 100)
    return [bodyProblem(place, "must be less than 100, since this is the first step of its release")];
  if (steps.length === 0)
    return [
      bodyProblem(first.path, `${first.job.name} needs a later job whose from_job names it, with ${kind.field} 100`),
    ];
  return steps.flatMap((step, at) => orderProblems(kind, step, steps[at - 1] ?? first, at === steps.length - 1));
}

function orderProblems(kind: Steps, step: PlacedJob, before: PlacedJob, isLast: boolean): Problem[] {
  const [share, shareBefore] = [shareOf(kind, step), shareOf(kind, before)];
  const place = sharePath(kind, step);
  if (!runsBefore(before, step))
    return [bodyProblem(`${step.path}.spec.from_job`, `${before.job.name} does not run before this job`)];
  if (share === undefined || shareBefore === undefined) return [];
  if (isLast && share !== 100) return [bodyProblem(place, "must be 100, since this is the last step of its release")];
  return share > shareBefore ? [] : [bodyProblem(place, `must be more than the ${shareBefore} of ${before.job.name}`)];
}

function originProblems({ what }: Steps, step: PlacedJob, firsts: readonly PlacedJob[]): Problem[] {
  const from = fromOf(step);
  if (firsts.some(({ job }) => job.name === from)) return [];
  return [bodyProblem(`${step.path}.spec.from_job`, `${from} is not the first job of ${what} in this workflow`)];
}

/** A workload has one release at a time. */
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
function shareOf({ field }: Steps, { job }: PlacedJob): number | undefined {
  const share = job.spec?.[field];
  return typeof share === "number" ? share : undefined;
}

function sharePath({ field }: Steps, { path }: PlacedJob): string {
  return `${path}.spec.${field}`;
}
