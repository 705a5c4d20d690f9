import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { imageName } from "../../manifest/containers.ts";
import { planServicesChange, startServicesChange } from "../change/changeServices.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { explainingUpdate, findContainer, type ImageUpdate, imageChange } from "../change/updateImage.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { Asking } from "../plan/boundsOf.ts";
import type { RenderedPlan } from "../plan/planServices.ts";
import { type Standing, serviceWithWorkload } from "../plan/standingService.ts";
import { previewWorkload } from "../preview/previewWorkload.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import type { WholeEnvironment } from "../store/environments.ts";
import { changeWorkload, findObject } from "../workloads/changeWorkload.ts";
import { previewReleasePlans } from "./deployReleases.ts";

/**
 * Changes the image of a container, of YAML or a chart. For a chart the values that name it change, and the release is
 * upgraded (decisions 11.10); the container is found by the base name of the image that it runs.
 * @throws ApiError 404 unknown environment; 6082 as `updateImage`, where no value names the image, or Helm refuses
 */
export function updateAnyImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<void> {
  return explainingUpdate(asked, async () => {
    const whole = await requireEnvironment(name);
    const found = serviceWithWorkload(whole, asked.workload, asked.service);
    const plans = await planRelease(whole, found, asked, actor);
    if (plans === undefined) await changeWorkload(imageChange(name, asked, actor, found));
    else await startServicesChange("update", whole, plans, actor);
  });
}

/** What that would change. @throws ApiError as `updateAnyImage` */
export function previewAnyImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<ObjectPreview[]> {
  return explainingUpdate(asked, async () => {
    const whole = await requireEnvironment(name);
    const found = serviceWithWorkload(whole, asked.workload, asked.service);
    const plans = await planRelease(whole, found, asked, actor);
    if (plans === undefined) return previewWorkload(imageChange(name, asked, actor, found));
    return previewReleasePlans(whole, plans);
  });
}

/** The upgrade of the release that made the workload; undefined where no chart did. */
async function planRelease(
  whole: WholeEnvironment,
  standing: Standing,
  { workload, container, image }: ImageUpdate,
  by: Asking,
): Promise<RenderedPlan[] | undefined> {
  const { service } = standing;
  if (service.release === undefined) return undefined;
  const { object } = await findObject(standing, workload);
  const { found } = findContainer(object, container);
  const module = service.containers.find((one) => one.name === imageName(String(found.image)));
  if (module === undefined)
    throw new EnvironmentProblem(
      `no value of the chart names the image of container "${container}"; set it in values_yaml`,
    );
  const request = { name: service.name, variables: [], containers: [{ name: module.name, image }] };
  return planServicesChange("update", whole, [request], by);
}
