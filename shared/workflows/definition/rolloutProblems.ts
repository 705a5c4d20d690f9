import type { Problem } from "../../errors/apiError.ts";
import type { WorkflowStage } from "./definition.ts";
import { jobKindOf } from "./jobKinds.ts";
import { bodyProblem, type PlacedJob, placedJobs, runsBefore } from "./placedJobs.ts";

/** Each job that deploys beside what runs needs exactly one job that releases it, and that one comes later (contract W 5). */
export function rolloutProblems(stages: readonly WorkflowStage[]): Problem[] {
  const jobs = placedJobs(stages);
  return jobs.flatMap((placed) => [...deployProblems(placed, jobs), ...releaseProblems(placed, jobs)]);
}

function deployProblems({ job, path }: PlacedJob, jobs: readonly PlacedJob[]): Problem[] {
  const releasedBy = jobKindOf(job.type)?.releasedBy;
  if (releasedBy === undefined) return [];
  const releases = jobs.filter((other) => other.job.type === releasedBy && other.job.spec?.from_job === job.name);
  if (releases.length === 1) return [];
  const count = releases.length === 0 ? "none" : releases.map((one) => one.job.name).join(" and ");
  return [
    bodyProblem(
      path,
      `${job.name} needs exactly one job of type ${releasedBy} whose from_job names it; it has ${count}`,
    ),
  ];
}

function releaseProblems(release: PlacedJob, jobs: readonly PlacedJob[]): Problem[] {
  const { job, path } = release;
  const from = job.spec?.from_job;
  const deploys = typeReleasedBy(job.type);
  if (deploys === undefined || typeof from !== "string" || from === "") return [];
  const deploy = jobs.find((one) => one.job.name === from && one.job.type === deploys);
  const place = `${path}.spec.from_job`;
  if (deploy === undefined) return [bodyProblem(place, `${from} is not a job of type ${deploys} in this workflow`)];
  return runsBefore(deploy, release) ? [] : [bodyProblem(place, `${from} does not run before this job`)];
}

function typeReleasedBy(type: string): string | undefined {
  const deploy = type.replace(/-release$/, "-deploy");
  return jobKindOf(deploy)?.releasedBy === type ? deploy : undefined;
}
