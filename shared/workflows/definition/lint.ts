import { pathText, readValue } from "../../base/common/readValue.ts";
import type { Problem } from "../../base/errors/apiError.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";
import type { WorkflowDefinition, WorkflowJob, WorkflowStage } from "./definition.ts";
import { jobKindOf } from "./jobKinds.ts";
import { jobIn } from "./jobManifest.ts";
import { bodyProblem, type PlacedJob, placedJobs, runsBefore } from "./placedJobs.ts";
import { referencesOf } from "./references.ts";
import { stepProblems } from "./stepProblems.ts";

const keyForm = /^[a-zA-Z0-9-]+$/;
const maxKeyCharacters = 64;
export const longestDisplayName = 128;
const maxReferences = 500;
const maxJobs = 500;
const jobForm = /^[a-z\u4e00-\u9fa5][a-z0-9\u4e00-\u9fa5-]{0,31}$/;
/** Path segments that a workflow would hide (decisions 2, last paragraph). */
const reservedKeys = [
  "task",
  "lint",
  "preset",
  "name",
  "workflowtask",
  "webhook",
  "cron",
  "jirahook",
  "meegohook",
  "generalhook",
  "workflowhook",
  "triggerdelivery",
];

/** What must hold of a key: undefined when it does. */
export function keyProblem(key: string): string | undefined {
  if (!keyForm.test(key)) return "must have letters, digits and hyphens only";
  if (key.length > maxKeyCharacters) return `must have at most ${maxKeyCharacters} characters`;
  return undefined;
}

export function isReservedKey(key: string): boolean {
  return reservedKeys.includes(key);
}

/**
 * Everything that is wrong with a definition by itself (contract W 2.4 step 8): names, and the specs of the jobs whose
 * types are known. Pure; what depends on the project is asked elsewhere.
 */
export function lintDefinition(definition: WorkflowDefinition): Problem[] {
  const { params, stages, share_storages: storages } = definition;
  return [
    ...displayNameProblems(definition.display_name ?? ""),
    ...referenceLimit(definition),
    ...jobLimit(stages),
    ...duplicates("params", params),
    ...duplicates("share_storages", storages),
    ...duplicates("stages", stages),
    ...stages.flatMap((stage, at) => lintStage(stage, `stages[${at}]`)),
    ...duplicateJobs(stages),
    ...referenceProblems(stages),
    ...rolloutProblems(stages),
    ...analysisProblems(stages),
    ...stepProblems(stages),
  ];
}

/** Each reference is looked up when the workflow is saved, and held as long as the workflow exists. */
function referenceLimit(definition: WorkflowDefinition): Problem[] {
  const count = referencesOf(definition).length;
  if (count <= maxReferences) return [];
  return [bodyProblem("stages", `refer to ${count} records; at most ${maxReferences} are allowed`)];
}

/** A task plans all of them (decisions 19.12). */
function jobLimit(stages: readonly WorkflowStage[]): Problem[] {
  const count = stages.reduce((sum, { jobs }) => sum + jobs.length, 0);
  return count <= maxJobs ? [] : [bodyProblem("stages", `have ${count} jobs; at most ${maxJobs} are allowed`)];
}

function displayNameProblems(text: string): Problem[] {
  if (text.length > longestDisplayName)
    return [bodyProblem("display_name", `must have at most ${longestDisplayName} characters`)];
  return /\p{Cc}/u.test(text) ? [bodyProblem("display_name", "must not contain control characters")] : [];
}

function lintStage({ jobs }: WorkflowStage, path: string): Problem[] {
  return jobs.flatMap((job, at) => lintJob(job, `${path}.jobs[${at}]`));
}

function lintJob({ name, type, spec }: WorkflowJob, path: string): Problem[] {
  const isNamed = jobForm.test(name);
  const schema = jobKindOf(type)?.schema;
  const refused = (schema && readValue(schema, spec ?? {}).refused) ?? [];
  return [
    ...(isNamed
      ? []
      : [bodyProblem(`${path}.name`, "must begin with a lowercase letter, then letters, digits, hyphens")]),
    ...refused.map((one) => bodyProblem(pathText([`${path}.spec`, ...one.path]), one.message)),
  ];
}

function duplicates(path: string, items: readonly { name: string }[]): Problem[] {
  const seen = new Set<string>();
  return items.flatMap(({ name }, at) =>
    seen.size < seen.add(name).size ? [] : [bodyProblem(`${path}[${at}].name`, `${name} is used twice`)],
  );
}

function duplicateJobs(stages: readonly WorkflowStage[]): Problem[] {
  const seen = new Set<string>();
  return placedJobs(stages).flatMap(({ job, path }) => {
    if (seen.size < seen.add(job.name).size) return [];
    return [bodyProblem(`${path}.name`, `${job.name} is used twice; a job's name is unique in its workflow`)];
  });
}

/** What is taken from another job must come from one that ran before (contract W 5, `fromjob`). */
function referenceProblems(stages: readonly WorkflowStage[]): Problem[] {
  const before = new Set<string>();
  return stages.flatMap(({ jobs, parallel }, stage) => {
    const problems = jobs.flatMap((job, at) => {
      const from = takenFrom(job);
      const isMissing = from !== undefined && !before.has(from);
      if (parallel !== true) before.add(job.name);
      const path = `stages[${stage}].jobs[${at}].spec.job_name`;
      return isMissing ? [bodyProblem(path, `${from} is not a job that runs before this one`)] : [];
    });
    for (const { name } of jobs) before.add(name);
    return problems;
  });
}

function takenFrom({ type, spec }: WorkflowJob): string | undefined {
  if (spec?.source !== "fromjob" || jobKindOf(type) === undefined) return undefined;
  return typeof spec.job_name === "string" && spec.job_name !== "" ? spec.job_name : undefined;
}

/** What looks by a Job has the manifest of one. */
function analysisProblems(stages: readonly WorkflowStage[]): Problem[] {
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

/** Each job that deploys beside what runs needs exactly one job that releases it, and that one comes later (contract W 5). */
function rolloutProblems(stages: readonly WorkflowStage[]): Problem[] {
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
