import { ApiError } from "../../base/errors/apiError.ts";
import { plainText, type Tree, treesOf } from "../../manifest/tree.ts";
import { jobKindOf } from "../definition/jobKinds.ts";
import type { ServiceModule } from "../definition/specParts.ts";
import { jobNamed } from "./jobNamed.ts";
import type { PlanScope } from "./planner.ts";

/** A service module that a job works on, with the variable that holds its image; empty where no job makes one. */
export interface ModuleOfJob extends ServiceModule {
  image: string;
}

/** Who takes the modules of which job, and whether that one must run in the same task: what it makes is used. */
interface Taking {
  by: string;
  from: string;
  mustRun: boolean;
}

/** Where jobs hold the modules that they work on; the first list with any counts. */
const lists = [
  ...["target_services", "service_and_builds", "services", "service_and_images"],
  ...["service_and_tests", "service_and_scannings", "service_and_vm_deploys", "targets"],
  ...["default_service_and_builds", "default_services"],
];

/**
 * The service modules of the job that another one takes them from, which may take its own from one in turn
 * (`source: fromjob`).
 * @throws ApiError 6160 when a job of the chain is missing, or does not run in this task and must
 */
export function modulesOfJob(scope: PlanScope, taking: Taking, seen: readonly string[] = []): ModuleOfJob[] {
  const { by, from, mustRun } = taking;
  const job = jobNamed(scope, from);
  if (job === undefined || seen.includes(from))
    throw new ApiError(6160, `job ${by} takes its services from job ${from}, which is not in the workflow`);
  if (mustRun && job.skipped === true)
    throw new ApiError(6160, `job ${by} takes its services from job ${from}, which does not run in this task`);
  const spec: Tree = job.spec ?? {};
  const own = lists.map((list) => modulesIn(spec[list])).find((list) => list.length > 0) ?? [];
  const isTaken = spec.source === "fromjob";
  const modules = isTaken
    ? chosenOf(modulesOfJob(scope, { by: from, from: originOf(spec), mustRun }, [...seen, from]), own)
    : own.map((module) => ({ ...module, image: "" }));
  if (isTaken && jobKindOf(job.type)?.givesImages !== true) return modules;
  return modules.map(({ service_name, service_module }) => ({
    ...{ service_name, service_module },
    image: `{{.job.${from}.${service_name}.${service_module}.output.IMAGE}}`,
  }));
}

/** The job that is named in a spec. */
export function originOf({ job_name, origin_job_name }: Tree): string {
  return String(job_name || origin_job_name || "");
}

/** Of what another job works on, what is listed; everything when nothing is. */
export function chosenOf(all: readonly ModuleOfJob[], listed: readonly ServiceModule[]): ModuleOfJob[] {
  if (listed.length === 0) return [...all];
  return all.filter((one) =>
    listed.some((item) => isSameModule(item, one) || (item.service_module === "" && isSameService(item, one))),
  );
}

/** Modules of a list of modules, or of services with theirs, each once. */
export function modulesIn(list: unknown): ServiceModule[] {
  const all = treesOf(list).flatMap(({ service_name, service_module, modules }): ServiceModule[] => {
    if (typeof service_name !== "string") return [];
    const inner = treesOf(modules);
    const names = inner.length > 0 ? inner.map((one) => one.service_module) : [service_module];
    return names.map((name) => ({ service_name, service_module: plainText(name) }));
  });
  return all.filter((one, at) => all.findIndex((other) => isSameModule(one, other)) === at);
}

export function isSameModule(a: ServiceModule, b: ServiceModule): boolean {
  return isSameService(a, b) && a.service_module === b.service_module;
}

function isSameService(a: ServiceModule, b: ServiceModule): boolean {
  return a.service_name === b.service_name;
}
