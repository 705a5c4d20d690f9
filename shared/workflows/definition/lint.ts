import { pathText, readValue } from "../../common/readValue.ts";
import type { Problem } from "../../errors/apiError.ts";
import { analysisProblems } from "./analysisProblems.ts";
import type { WorkflowDefinition, WorkflowJob, WorkflowStage } from "./definition.ts";
import { jobKindOf } from "./jobKinds.ts";
import { bodyProblem, placedJobs } from "./placedJobs.ts";
import { referencesOf } from "./references.ts";
import { rolloutProblems } from "./rolloutProblems.ts";
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
