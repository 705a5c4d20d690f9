import { previewAnyImage } from "../../../environments/helm/updateAnyImage.ts";
import { findEnvironment } from "../../../environments/store/environments.ts";
import { objectPreview } from "../../../kube/preview/objectPreview.ts";
import { environmentsIn } from "../ownNamespace.ts";
import type { JobPreviewer, ServiceLook } from "../preview.ts";
import { isLate, lateSentence } from "../variables/lateValues.ts";
import type { CustomDeployRun } from "./planner.ts";
import { containersIn, imagePatch, readTarget, serviceOf } from "./target.ts";

/** What another image of one container would change. */
export const preview: JobPreviewer = async ({ projectKey, run, creator }) => {
  const target = run as unknown as CustomDeployRun;
  const { clusterId, namespace, kind, name, container, image } = target;
  const action = `sets the image of container ${container} of ${kind} "${name}" to ${image}`;
  const notes = lateSentence(`the image of container ${container}`, image);
  const look = async (): Promise<ServiceLook> => {
    const { client, ref, before, owner } = await readTarget(projectKey, target);
    const now = String(containersIn(before).find((one) => one.name === container)?.image ?? "");
    const service = serviceOf(before);
    const modules = [{ name: container, now, next: isLate(image) ? "" : image }];
    if (isLate(image)) return { name: service, modules, objects: [] };
    if (owner === undefined) {
      const after = await client.patch(ref, imagePatch(before, target), { dryRun: true });
      return { name: service, modules, objects: [objectPreview(service, before, after)] };
    }
    const environment = await findEnvironment(owner.projectKey, owner.envKey, { consistent: true });
    const where = { projectKey: owner.projectKey, envKey: owner.envKey, production: environment?.production === true };
    const asked = { service, workload: { kind, name }, container, image };
    const objects = await previewAnyImage(where, asked, creator);
    return { name: service, modules, objects };
  };
  const services = [{ name: "", action, notes: notes === undefined ? [] : [notes], look }];
  const [environment, ...beside] = await environmentsIn(projectKey, clusterId, namespace);
  return [{ ...environment, beside, services }];
};
