import { loadText } from "../../aws/objects/objectStore.ts";
import { imageName } from "../../manifest/containers.ts";
import { isRecord } from "../../manifest/kubeObject.ts";
import { parseManifest } from "../../manifest/parseManifest.ts";
import { at, podSpecPath } from "../../manifest/workloads.ts";
import { beginServicesChange, planServicesChange } from "../changeServices.ts";
import type { Actor } from "../createEnvironment.ts";
import { EnvironmentProblem } from "../failures.ts";
import { type EnvironmentName, requireEnvironment } from "../requireEnvironment.ts";
import { serviceWithWorkload } from "../standingService.ts";
import { findManifest } from "../store/environments.ts";
import { explainingUpdate, type ImageUpdate } from "../updateImage.ts";

/**
 * Changes the image of a container that a chart made: the values that name it change, and the release is upgraded
 * (decisions 11.10). The container is found by the base name of the image that it runs.
 * @returns false where the service is no chart
 * @throws ApiError 404 unknown environment; 6082 where no value names the image, or Helm refuses
 */
export function updateReleaseImage(name: EnvironmentName, asked: ImageUpdate, actor: Actor): Promise<boolean> {
  return explainingUpdate(name, asked, () => update(name, asked, actor));
}

async function update(
  name: EnvironmentName,
  { service: named, workload, container, image }: ImageUpdate,
  actor: Actor,
): Promise<boolean> {
  const whole = await requireEnvironment(name);
  const { service } = await serviceWithWorkload(whole, workload, named);
  if (service.release === undefined) return false;
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
  const plans = await planServicesChange("update", whole, [request]);
  await beginServicesChange("update", whole, plans, actor);
  return true;
}
