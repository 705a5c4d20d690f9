import * as z from "zod";
import { ApiError } from "../../../errors/apiError.ts";
import { text } from "../../definition/wireFields.ts";
import type { PlanScope } from "../planner.ts";

/** The fields by which specs and start calls name a service module. */
export const serviceModule = {
  service_name: z.string("must be a text"),
  service_module: text.transform((name) => name ?? ""),
};

/** What something is done for. */
export interface ServiceModule {
  service_name: string;
  service_module: string;
}

/** Where jobs of each kind hold the service modules they are for. */
const chosenLists = ["target_services", "service_and_builds", "services", "service_and_tests", "service_and_scannings"];

/**
 * The service modules of the job that another one takes them from, which may take them from one in turn (contract W 5
 * `fromjob`).
 * @throws ApiError 6160 when there is no such job
 */
export function servicesOfJob(jobName: string, scope: PlanScope, seen: readonly string[] = []): ServiceModule[] {
  const job = scope.definition.stages.flatMap(({ jobs }) => jobs).find(({ name }) => name === jobName);
  if (job === undefined || seen.includes(jobName))
    throw new ApiError(6160, `job ${jobName}, whose services are to be taken, is not in the workflow`);
  const spec: Record<string, unknown> = job.spec ?? {};
  if (spec.source === "fromjob") return servicesOfJob(originOf(spec), scope, [...seen, jobName]);
  const chosen = chosenLists.map((list) => modulesIn(spec[list])).find((list) => list.length > 0);
  return chosen ?? modulesIn(spec.default_service_and_builds ?? spec.default_services);
}

/** The job that is named in a spec. */
export function originOf({ job_name, origin_job_name }: Record<string, unknown>): string {
  return String(job_name || origin_job_name || "");
}

export function isSameModule(a: ServiceModule, b: ServiceModule): boolean {
  return a.service_name === b.service_name && a.service_module === b.service_module;
}

function modulesIn(list: unknown): ServiceModule[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: Record<string, unknown>) => {
    const { service_name, service_module, modules } = item;
    if (typeof service_name !== "string") return [];
    const names = Array.isArray(modules) ? modules.map((one) => one?.service_module) : [service_module];
    return names.map((name) => ({ service_name, service_module: typeof name === "string" ? name : "" }));
  });
}
