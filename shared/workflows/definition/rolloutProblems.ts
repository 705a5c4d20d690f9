import type { Problem } from "../../errors/apiError.ts";
import type { WorkflowJob, WorkflowStage } from "./definition.ts";
import { jobKindOf } from "./jobKinds.ts";

interface Placed {
  job: WorkflowJob;
  /** Of its spec. */
  path: string;
  stage: number;
  at: number;
  parallel: boolean;
}

/** Each job that deploys beside what runs needs exactly one job that releases it, and that one comes later (contract W 5). */
export function rolloutProblems(stages: readonly WorkflowStage[]): Problem[] {
  const jobs = stages.flatMap(({ jobs: list, parallel }, stage) =>
    list.map((job, at): Placed => {
      return { job, path: `stages[${stage}].jobs[${at}]`, stage, at, parallel: parallel === true };
    }),
  );
  return jobs.flatMap((placed) => [...deployProblems(placed, jobs), ...releaseProblems(placed, jobs)]);
}

function deployProblems({ job, path }: Placed, jobs: readonly Placed[]): Problem[] {
  const releasedBy = jobKindOf(job.type)?.releasedBy;
  if (releasedBy === undefined) return [];
  const releases = jobs.filter((other) => other.job.type === releasedBy && other.job.spec?.from_job === job.name);
  if (releases.length === 1) return [];
  const count = releases.length === 0 ? "none" : releases.map((one) => one.job.name).join(" and ");
  return [
    problem(path, `${job.name} needs exactly one job of type ${releasedBy} whose from_job names it; it has ${count}`),
  ];
}

function releaseProblems(release: Placed, jobs: readonly Placed[]): Problem[] {
  const { job, path } = release;
  const from = job.spec?.from_job;
  const deploys = typeReleasedBy(job.type);
  if (deploys === undefined || typeof from !== "string" || from === "") return [];
  const deploy = jobs.find((one) => one.job.name === from && one.job.type === deploys);
  const place = `${path}.spec.from_job`;
  if (deploy === undefined) return [problem(place, `${from} is not a job of type ${deploys} in this workflow`)];
  return runsBefore(deploy, release) ? [] : [problem(place, `${from} does not run before this job`)];
}

function typeReleasedBy(type: string): string | undefined {
  const deploy = type.replace(/-release$/, "-deploy");
  return jobKindOf(deploy)?.releasedBy === type ? deploy : undefined;
}

function runsBefore(first: Placed, second: Placed): boolean {
  return first.stage < second.stage || (first.stage === second.stage && !first.parallel && first.at < second.at);
}

function problem(path: string, text: string): Problem {
  return { in: "body", path, problem: text };
}
