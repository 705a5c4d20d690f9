import * as z from "zod";
import { ApiError } from "../../../base/errors/apiError.ts";
import { type DefinitionItem, moduleInput, type ServiceItem, type ServiceModule } from "../../definition/specParts.ts";
import { listOf, requiredText } from "../../definition/wireFields.ts";
import { isSameModule, modulesIn, modulesOfJob } from "../modulesOfJob.ts";
import type { PlanScope } from "../planner.ts";
import { repositoryInputs } from "./jobRepositories.ts";
import { variableInputs } from "./jobVariables.ts";

const inputs = { repo_info: repositoryInputs, inputs: variableInputs };

/** `testing_list` and `scanning_list` of a start call, by the field of the name (contract W 3). */
export function itemInputs<Name extends string>(name: Name) {
  return listOf(z.looseObject({ [name]: requiredText, ...inputs } as Record<Name, z.ZodString> & typeof inputs));
}

/** `service_list` of a start call. */
export const serviceInputs = listOf(z.looseObject({ ...moduleInput, ...inputs }));

/** What a job of tests or scans says: what is chosen, and what may be chosen. */
export interface ItemLists {
  /** One for each service module instead of one for each test or scan. */
  isPerService: boolean;
  chosen: readonly DefinitionItem[];
  options: readonly DefinitionItem[];
  services: readonly ServiceItem[];
  serviceOptions: readonly ServiceItem[];
  targets: readonly ServiceModule[];
  /** The job that the service modules are taken from; empty: none. */
  fromJob: string;
}

/** The tests or scans of a job that run, in order. @throws ApiError 6160 */
export function itemsToRun(
  lists: ItemLists,
  jobName: string,
  scope: PlanScope,
): readonly (DefinitionItem | ServiceItem)[] {
  if (!lists.isPerService) return lists.chosen;
  return modulesOf(lists, jobName, scope).flatMap((module) => itemsFor(lists, module));
}

function modulesOf({ fromJob, targets, services }: ItemLists, by: string, scope: PlanScope): readonly ServiceModule[] {
  if (fromJob !== "") return modulesOfJob(scope, { by, from: fromJob, mustRun: false });
  return targets.length > 0 ? targets : modulesIn(services);
}

function itemsFor({ services, serviceOptions }: ItemLists, module: ServiceModule): ServiceItem[] {
  const own = services.filter((one) => isSameModule(one, module));
  return own.length > 0 ? own : serviceOptions.filter((one) => isSameModule(one, module));
}

/** The test or scan that a start call names. @throws ApiError 6160 when the job does not have it */
export function requireItem({ chosen, options }: ItemLists, name: string, jobName: string): DefinitionItem {
  const found = [...chosen, ...options].find((one) => one.name === name);
  if (found === undefined) throw new ApiError(6160, `inputs of job ${jobName}: ${name} is not in the job`);
  return found;
}

/**
 * What the job has for a service module that a start call names; nothing where it has nothing.
 * @throws ApiError 6160 when the job takes its modules from one that does not have it
 */
export function optionsFor(lists: ItemLists, module: ServiceModule, jobName: string, scope: PlanScope): ServiceItem[] {
  const { fromJob } = lists;
  const taken = fromJob === "" ? undefined : modulesOf(lists, jobName, scope);
  if (taken?.some((one) => isSameModule(one, module)) !== false) return itemsFor(lists, module);
  const { service_name, service_module } = module;
  throw new ApiError(
    6160,
    `inputs of job ${jobName}: service ${service_name}/${service_module} is not in job ${fromJob}`,
  );
}
