import { ApiError } from "../base/errors/apiError.ts";
import { forces } from "../environments/apply/forces.ts";
import { planServicesChange, startServicesChange } from "../environments/change/changeServices.ts";
import type { Actor } from "../environments/change/createEnvironment.ts";
import { failingWith } from "../environments/failures.ts";
import { previewReleasePlans } from "../environments/helm/deployReleases.ts";
import type { Asking } from "../environments/plan/boundsOf.ts";
import type { PlanWarning, RenderedPlan } from "../environments/plan/planServices.ts";
import { standingDefinitions } from "../environments/plan/standingDefinitions.ts";
import { previewPlans } from "../environments/preview/previewPlans.ts";
import { type EnvironmentName, requireEnvironment } from "../environments/requireEnvironment.ts";
import type { WholeEnvironment } from "../environments/store/environments.ts";
import type { ObjectPreview } from "../kube/preview/objectPreview.ts";
import { promisedServices } from "./promisedServices.ts";
import type { WholeVersion } from "./store/versions.ts";

/**
 * Gives services of an environment the images of a version, by digest (contract decisions 14.11); what else they are stays.
 * @param services names; undefined: all of the version
 * @throws ApiError 400 for what the version does not promise, and for services that are not in the environment; 404 unknown
 * environment; 6076 wrong state, unknown container, conflict
 */
export async function deployVersion(
  version: WholeVersion,
  name: EnvironmentName,
  services: readonly string[] | undefined,
  actor: Actor,
): Promise<PlanWarning[]> {
  return planning(version, name, services, actor, async (whole, plans) => {
    await startServicesChange("update", whole, plans, actor);
    return plans.flatMap(({ warnings }) => warnings);
  });
}

/** What deploying it would apply. @throws ApiError as `deployVersion` */
export function previewVersion(
  version: WholeVersion,
  name: EnvironmentName,
  services: readonly string[] | undefined,
  by: Asking,
): Promise<ObjectPreview[]> {
  return planning(version, name, services, by, (whole, plans) => {
    const { environment } = whole;
    if (version.version.versionType === "HelmChart") return previewReleasePlans(whole, plans);
    return previewPlans(environment, plans, forces({ kind: "update", adoptManagers: environment.adoptManagers ?? [] }));
  });
}

async function planning<T>(
  version: WholeVersion,
  name: EnvironmentName,
  asked: readonly string[] | undefined,
  by: Asking,
  work: (whole: WholeEnvironment, plans: RenderedPlan[]) => Promise<T>,
): Promise<T> {
  const promised = promisedServices(version, asked).filter(({ images }) => images.length > 0);
  if (promised.length === 0) throw new ApiError(400, `version ${version.version.name} has no image to deploy`);
  const whole = await requireEnvironment(name);
  const current = new Map(whole.services.map((service) => [service.name, service]));
  const missing = promised.filter((service) => !current.has(service.name)).map((service) => service.name);
  if (missing.length > 0)
    throw new ApiError(
      400,
      `services: ${missing.join(", ")} of version ${version.version.name} are not in environment ${name.envKey}; add them first, or name the services to deploy`,
    );
  return failingWith(6076, async () => {
    const standing = promised.flatMap((service) => current.get(service.name) ?? []);
    const requests = promised.map(({ name, images }) => ({
      ...{ name, variables: [] },
      containers: images.map((image) => ({
        name: image.name,
        // The values of charts have a place for a tag, and few for a digest.
        image: current.get(name)?.release === undefined ? image.image : image.tagged,
      })),
    }));
    return work(
      whole,
      await planServicesChange("update", whole, requests, by, await standingDefinitions(name, standing)),
    );
  });
}
