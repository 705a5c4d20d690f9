import { loadText } from "../../aws/objects/objectStore.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { imageName } from "../../manifest/containers.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { at, podSpecPath } from "../../manifest/workloads.ts";
import { beginServicesChange, planServicesChange } from "../changeServices.ts";
import type { Actor } from "../createEnvironment.ts";
import { EnvironmentProblem } from "../failures.ts";
import type { RenderedPlan } from "../planServices.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { serviceWithWorkload } from "../standingService.ts";
import { findManifest, type WholeEnvironment } from "../store/environments.ts";
import { explainingUpdate, type ImageUpdate } from "../updateImage.ts";
import { previewReleasePlans } from "./deployReleases.ts";

/**
 * Changes the image of a container that a chart made: the values that name it change, and the release is upgraded
 * (decisions 11.10). The container is found by the base name of the image that it runs.
 * @returns false where the service is no chart
 * @throws ApiError 404 unknown environment; 6082 where no value names the image, or Helm refuses
 */
export function updateReleaseImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<boolean> {
  return explainingUpdate(name, asked, async () => {
    const planned = await planImage(name, asked);
    if (planned === undefined) return false;
    await beginServicesChange("update", planned.whole, planned.plans, actor);
    return true;
  });
}

/** What that would change; undefined where the service is no chart. @throws ApiError as `updateReleaseImage` */
export function previewReleaseImage(name: EnvironmentName, asked: ImageUpdate): Promise<ObjectPreview[] | undefined> {
  return explainingUpdate(name, asked, async () => {
    const planned = await planImage(name, asked);
    return planned && previewReleasePlans(planned.whole, planned.plans);
  });
}

async function planImage(
  name: EnvironmentName,
  { service: named, workload, container, image }: ImageUpdate,
): Promise<{ whole: WholeEnvironment; plans: RenderedPlan[] } | undefined> {
  const whole = await requireEnvironment(name);
  const { service } = await serviceWithWorkload(whole, workload, named);
  if (service.release === undefined) return undefined;
  const manifest = await findManifest(name.projectKey, name.envKey, service.name);
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
  return { whole, plans: await planServicesChange("update", whole, [request]) };
}
