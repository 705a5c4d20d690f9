import { ApiError } from "../../../base/errors/apiError.ts";
import { promisedServices } from "../../../delivery/promisedServices.ts";
import { findVersionId, findWholeVersion } from "../../../delivery/store/versions.ts";
import type { WorkflowJob } from "../../definition/definition.ts";
import { renderEarly } from "../../records/rules/variables.ts";
import type { PlanScope } from "../planner.ts";
import { isLate } from "../variables/lateValues.ts";
import { staticVariables } from "../variables/staticVariables.ts";
import type { DeployService } from "./kind.ts";
import { type DeploySpec, unconfigured } from "./services.ts";

/** The version that a deploy job names; "" when it names none. @throws ApiError 6160 for a name that only a run can know */
export function versionNameOf(job: WorkflowJob, { version_name }: DeploySpec, scope: PlanScope): string {
  const name = renderEarly(version_name ?? "", new Map(staticVariables(scope)));
  if (isLate(name)) throw problem(job, `version_name must be known when the task starts, and ${name} is not`);
  return name;
}

/**
 * What a delivery version promises of the services that a job lists, or of all, with images by digest (contract W 5).
 * @throws ApiError 6160 when there is no such version, it promises nothing, or not what is listed
 */
export async function servicesOfVersion(
  job: WorkflowJob,
  spec: DeploySpec,
  listed: readonly DeployService[],
  { name, projectKey }: { name: string; projectKey: string },
): Promise<DeployService[]> {
  if (spec.source === "fromjob")
    throw problem(job, `its images come from version ${name} and from another job; leave one of them out`);
  if (spec.deploy_contents.length > 0 && !spec.deploy_contents.includes("image"))
    throw problem(job, `version ${name} gives images; add image to deploy_contents`);
  const id = await findVersionId(projectKey, name);
  const whole = id === undefined ? undefined : await findWholeVersion(id);
  if (whole === undefined) throw problem(job, `version ${name} does not exist in project ${projectKey}`);
  const names = listed.map(({ service_name }) => service_name);
  const promised = promising(job, () => promisedServices(whole, names.length > 0 ? names : undefined));
  const services = promised.map(({ name: service_name, images }): DeployService => {
    const configured = listed.find((service) => service.service_name === service_name);
    const wanted = configured?.modules.map(({ service_module }) => service_module) ?? [];
    const missing = wanted.find((module) => images.every((image) => image.name !== module));
    if (missing !== undefined) throw problem(job, `version ${name} has no image of ${service_name}/${missing}`);
    return {
      ...unconfigured,
      ...configured,
      service_name,
      modules: images
        .filter((image) => wanted.length === 0 || wanted.includes(image.name))
        .map((image) => ({ service_module: image.name, image: image.image })),
    };
  });
  const deployable = services.filter(({ modules }) => modules.length > 0);
  if (deployable.length === 0) throw problem(job, `version ${name} has no image to deploy`);
  return deployable;
}

function promising<T>(job: WorkflowJob, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw problem(job, error.description);
    throw error;
  }
}

function problem(job: WorkflowJob, text: string): ApiError {
  return new ApiError(6160, `job ${job.name}: ${text}`);
}
