import { refOf } from "../../kube/client/objectRef.ts";
import type { ObjectPreview } from "../../kube/preview/objectPreview.ts";
import { previewObjects } from "../../kube/preview/previewObjects.ts";
import { EnvironmentProblem } from "../failures.ts";
import { checkWorkload, editWorkload, type WorkloadChange } from "../workloads/changeWorkload.ts";

/** What an edit of one workload would change; nothing is written. @throws as the edit itself */
export async function previewWorkload(change: WorkloadChange): Promise<ObjectPreview[]> {
  const { environment, service, wanted } = await editWorkload(change);
  const { client, one, live } = await checkWorkload(environment, service, wanted);
  const whole = await client.get(refOf(live));
  const { previews, refused } = await previewObjects(client, {
    serviceName: service.name,
    objects: [one],
    live: new Map([[one.key, whole]]),
    force: true,
    namespaceStands: true,
  });
  if (refused.length > 0) throw new EnvironmentProblem(refused.join("; "));
  return previews;
}
