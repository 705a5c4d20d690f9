import type { LiveObject, Patch } from "../../../kube/client/ClusterClient.ts";
import { containersIn } from "../custom-deploy/target.ts";

/** The image of a container of a workload; empty where it has no such container. */
export function imageOf(live: LiveObject, container: string): string {
  return String(containersIn(live).find(({ name }) => name === container)?.image ?? "");
}

/** Of a Deployment. @param spec what changes beside its images */
export function imagesPatch(images: readonly { container: string; image: string }[], spec: object = {}): Patch {
  const containers = images.map(({ container, image }) => ({ name: container, image }));
  return { type: "strategic", body: { spec: { ...spec, template: { spec: { containers } } } } };
}
