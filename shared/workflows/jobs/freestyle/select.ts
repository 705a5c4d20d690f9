import { ApiError } from "../../../base/errors/apiError.ts";
import { isRecord } from "../../../manifest/schema/kubeObject.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { withRepositoryInputs } from "../container/jobRepositories.ts";
import { withInputs } from "../container/jobVariables.ts";
import { isSameModule, modulesOfJob, originOf } from "../modulesOfJob.ts";
import type { PlanScope } from "../planner.ts";
import { readInputs, readSpec } from "../readSpec.ts";
import { kind as freestyle } from "./kind.ts";
import { type FreestyleService, type FreestyleSpec, freestyleParameters, isPerService } from "./spec.ts";

/** Takes variables, repositories and services of a start call over (contract W 3). @throws ApiError 6160 */
export async function selectFreestyle(
  job: WorkflowJob,
  parameters: Record<string, unknown>,
  scope: PlanScope,
): Promise<Record<string, unknown>> {
  const spec = readSpec(freestyle, job);
  const given = readInputs(freestyleParameters, parameters, job);
  if (isPerService(spec)) return { ...job.spec, ...(await withServices(job, spec, given.services, scope)) };
  const { properties } = job.spec ?? {};
  return {
    ...job.spec,
    envs: withInputs(spec.envs, given.kv),
    repos: await withRepositoryInputs(spec.repos, given.repo_info),
    // As they were sent: what is planned is read again, and storages are read into another form.
    ...(isRecord(properties) && {
      properties: { ...properties, envs: withInputs(spec.properties?.envs ?? [], given.kv) },
    }),
  };
}

type GivenServices = ReturnType<typeof freestyleParameters.parse>["services"];

async function withServices(
  job: WorkflowJob,
  spec: FreestyleSpec,
  given: GivenServices,
  scope: PlanScope,
): Promise<Partial<FreestyleSpec>> {
  if (given.length === 0) return {};
  const options = optionsOf(job, spec, scope);
  const chosen: FreestyleService[] = [];
  for (const input of given) {
    const option = options.find((one) => isSameModule(one, input));
    if (option === undefined && spec.source !== "fromjob") continue;
    if (option === undefined)
      throw new ApiError(
        6160,
        `inputs of job ${job.name}: service ${input.service_name}/${input.service_module} is not in job ${originOf(spec)}`,
      );
    chosen.push({
      ...option,
      repos: await withRepositoryInputs(option.repos, input.repo_info),
      key_vals: withInputs(option.key_vals, input.inputs),
    });
  }
  return { services: chosen };
}

/** The services that may be chosen, with what is configured for each. */
export function optionsOf({ name: by }: WorkflowJob, spec: FreestyleSpec, scope: PlanScope): FreestyleService[] {
  const configured = [...spec.services, ...spec.default_services];
  if (spec.source !== "fromjob")
    return configured.filter((one, at) => configured.findIndex((other) => isSameModule(one, other)) === at);
  return modulesOfJob(scope, { by, from: originOf(spec), mustRun: false }).map(({ image: _, ...service }) => ({
    ...{ repos: spec.repos, key_vals: spec.envs },
    ...configured.find((one) => isSameModule(one, service)),
    ...service,
  }));
}
