import { openCluster } from "../../../kube/clusters/openCluster.ts";
import { objectPreview } from "../../../kube/preview/objectPreview.ts";
import { serviceOf } from "../custom-deploy/target.ts";
import { environmentsIn, ownNamespace } from "../ownNamespace.ts";
import type { JobPreviewer, ServiceLook } from "../preview.ts";
import { lateSentences } from "../variables/lateValues.ts";
import { patchObject } from "./patchObject.ts";
import type { PatchRun } from "./planner.ts";

/** What patches would change, each of an object as it is now. */
export const preview: JobPreviewer = async ({ projectKey, run }) => {
  const { clusterId, namespace, items } = run as unknown as PatchRun;
  const [environment, ...beside] = await environmentsIn(projectKey, clusterId, namespace);
  const services = items.map((item) => ({
    name: "",
    action: `patches ${item.kind} "${item.name}" (${item.strategy})`,
    notes: lateSentences("a value of the patch", item.content.values),
    look: async (): Promise<ServiceLook> => {
      const place = await ownNamespace(projectKey, clusterId, namespace);
      const { client } = await openCluster(place.clusterId);
      const patched = await patchObject(client, place, item);
      if (patched === undefined) return { modules: [], objects: [] };
      const { before, after } = patched;
      const service = serviceOf(before);
      return { name: service, modules: [], objects: [objectPreview(service, before, after)] };
    },
  }));
  return [{ ...environment, beside, services }];
};
