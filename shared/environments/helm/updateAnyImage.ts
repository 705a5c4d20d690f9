import { loadText } from "../../aws/objects/objectStore.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { imageName } from "../../manifest/containers.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { at, podSpecPath } from "../../manifest/workloads.ts";
import { beginServicesChange, planServicesChange } from "../changeServices.ts";
import { changeWorkload } from "../changeWorkload.ts";
import type { Actor } from "../createEnvironment.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { RenderedPlan } from "../planServices.ts";
import { previewWorkload } from "../preview/previewWorkload.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { serviceWithWorkload } from "../standingService.ts";
import { findManifest, type WholeEnvironment } from "../store/environments.ts";
import { explainingUpdate, type ImageUpdate, imageChange } from "../updateImage.ts";
import { previewReleasePlans } from "./deployReleases.ts";

/**
 * Changes the image of a container, whoever made it. Of a chart's the values that name it change, and the release is
 * upgraded (decisions 11.10); the container is found by the base name of the image that it runs.
 * @throws ApiError 404 unknown environment; 6082 as `updateImage`, where no value names the image, or Helm refuses
 */
export function updateAnyImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<void> {
  return explainingUpdate(asked, async () => {
    const whole = await requireEnvironment(name);
    const plans = await planRelease(whole, asked);
    if (plans === undefined) await changeWorkload(imageChange(name, asked, actor, whole));
    else await beginServicesChange("update", whole, plans, actor);
  });
}

/** What that would change. @throws ApiError as `updateAnyImage` */
export function previewAnyImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<ObjectPreview[]> {
  return explainingUpdate(asked, async () => {
    const whole = await requireEnvironment(name);
    const plans = await planRelease(whole, asked);
    if (plans === undefined) return previewWorkload(imageChange(name, asked, actor, whole));
    return previewReleasePlans(whole, plans);
  });
}

/** The upgrade of the release that made the workload; undefined where no chart did. */
async function planRelease(
  whole: WholeEnvironment,
  { service: named, workload, container, image }: ImageUpdate,
): Promise<RenderedPlan[] | undefined> {
  const { projectKey, envKey } = whole.environment;
  const { service } = await serviceWithWorkload(whole, workload, named);
  if (service.release === undefined) return undefined;
  const manifest = await findManifest(projectKey, envKey, service.name);
  const object = parseManifest(manifest === undefined ? "" : await loadText(manifest.text)).find(
    ({ kind, metadata }) => kind === workload.kind && metadata.name === workload.name,
  );
  const containers = at(object, [...(podSpecPath(workload.kind) ?? []), "containers"]);
  const list = (Array.isArray(containers) ? containers : []).filter(isRecord);
  const found = list.find((one) => one.name === container);
  if (found === undefined)
    throw new EnvironmentProblem(
      `container "${container}" is not part of ${workload.kind} "${workload.name}"; its containers are: ${list.map((one) => String(one.name)).join(", ")}`,
    );
  const module = service.containers.find((one) => one.name === imageName(String(found.image)));
  if (module === undefined)
    throw new EnvironmentProblem(
      `no value of the chart names the image of container "${container}"; set it in values_yaml`,
    );
  const request = { name: service.name, variables: [], containers: [{ name: module.name, image }] };
  return planServicesChange("update", whole, [request]);
}
