import * as z from "zod";
import { ApiError } from "../../../errors/apiError.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { listOf, text } from "../../definition/wireFields.ts";
import type { PlanScope } from "../planner.ts";
import { readSpec } from "../readSpec.ts";

/** A module that another job works on, with the variable that holds its image. */
export interface ModuleOfJob {
  service: string;
  module: string;
  image: string;
}

const pair = listOf(
  z.looseObject({
    service_name: z.string(),
    service_module: text,
    modules: listOf(z.looseObject({ service_module: z.string() })),
  }),
);

/** The lists in which kinds of jobs name the services that they work on (contract W 5). */
const chosenLists = [
  "service_and_builds",
  "service_and_tests",
  "service_and_scannings",
  "service_and_vm_deploys",
  "service_and_images",
  "services",
  "targets",
];
/** Preselected ones, of a job where nothing is chosen. */
const defaultLists = ["default_service_and_builds", "default_services"];

const sourceSpec = z.looseObject({ source: text, job_name: text });

/** Kinds whose jobs have an image for each module among their outputs (contract W 7). */
const givesImages = new Set(["zadig-build", "zadig-deploy", "zadig-distribute-image"]);

/**
 * The modules of a job that a deployment refers to, through a chain of jobs that take theirs from another one.
 * @throws ApiError 6160 when a job of the chain is missing or does not run in this task
 */
export function modulesOfJob(
  scope: PlanScope,
  jobName: string,
  by: string,
  seen: readonly string[] = [],
): ModuleOfJob[] {
  const job = jobOf(scope, jobName);
  if (job === undefined || seen.includes(jobName))
    throw new ApiError(6160, `job ${by} takes its services from job ${jobName}, which is not in the workflow`);
  if (job.skipped === true)
    throw new ApiError(6160, `job ${by} takes its services from job ${jobName}, which does not run in this task`);
  const { source, job_name } = readSpec(sourceSpec, job.spec, `spec of job ${jobName}`);
  const own = ownModules(job);
  const inherited = source === "fromjob" ? modulesOfJob(scope, job_name ?? "", jobName, [...seen, jobName]) : undefined;
  const modules = inherited === undefined ? own : chosenOf(inherited, own);
  if (!givesImages.has(job.type) && inherited !== undefined) return modules;
  return modules.map(({ service, module }) => ({
    service,
    module,
    image: `{{.job.${jobName}.${service}.${module}.output.IMAGE}}`,
  }));
}

/** Of what another job works on, what is listed; everything when nothing is. */
export function chosenOf(
  all: readonly ModuleOfJob[],
  listed: readonly { service: string; module: string }[],
): ModuleOfJob[] {
  if (listed.length === 0) return [...all];
  return all.filter(({ service, module }) =>
    listed.some((one) => one.service === service && (one.module === "" || one.module === module)),
  );
}

/** What the job works on: of a build without a selection the preselected services, as it builds them. */
function ownModules(job: WorkflowJob): ModuleOfJob[] {
  const chosen = modulesIn(job, chosenLists);
  return chosen.length > 0 ? chosen : modulesIn(job, defaultLists);
}

function modulesIn({ name, spec }: WorkflowJob, fields: readonly string[]): ModuleOfJob[] {
  return fields.flatMap((list) => {
    const items = (spec as Record<string, unknown> | null | undefined)?.[list];
    if (!Array.isArray(items) || items.some((item) => typeof item !== "object")) return [];
    return readSpec(pair, items, `${list} of job ${name}`).flatMap(({ service_name, service_module, modules }) =>
      modules.length > 0
        ? modules.map((one) => ({ service: service_name, module: one.service_module, image: "" }))
        : [{ service: service_name, module: service_module ?? "", image: "" }],
    );
  });
}

function jobOf({ definition }: PlanScope, name: string): WorkflowJob | undefined {
  return definition.stages.flatMap(({ jobs }) => jobs).find((job) => job.name === name);
}
