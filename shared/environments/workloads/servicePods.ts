import { withCallBudget } from "../../base/outbound/callBudget.ts";
import type { LiveObject } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { isCronJob, isPod, isWorkload, type LivePod } from "../../kube/live/liveTypes.ts";
import { type PodDetail, podDetail } from "../../kube/live/podDetail.ts";
import { podsOf, podsOfCronJob } from "../../kube/live/podsOf.ts";
import { readEnvironment } from "../../kube/live/readEnvironment.ts";
import { statusKinds } from "../../kube/live/workloadKinds.ts";
import { failingWith } from "../failures.ts";
import { silentSeconds } from "../limits.ts";
import { requireService } from "../plan/standingService.ts";
import type { EnvironmentName } from "../requireEnvironment.ts";

export interface ServicePod {
  pod: PodDetail;
  workload: { kind: string; name: string };
}

/**
 * The pods of a service as they are in the cluster now, each with the workload it comes of (contract P 5.9).
 * @throws ApiError 404 unknown environment or service; 6085 when the cluster cannot be read
 */
export async function servicePods(name: EnvironmentName, serviceName: string): Promise<ServicePod[]> {
  const { environment, service } = await requireService(name, serviceName, { consistent: false });
  const { environmentId, namespace, clusterId } = environment;
  return failingWith(6085, async () => {
    const { client } = await openCluster(clusterId);
    const kinds = statusKinds(service.workloads);
    const query = { environmentId, namespace, serviceName, kinds };
    const live = await withCallBudget(silentSeconds, () => readEnvironment(client, query));
    return podsWithWorkloads(live, Date.now());
  });
}

function podsWithWorkloads(objects: readonly LiveObject[], now: number): ServicePod[] {
  const workloads = new Map<LivePod, ServicePod["workload"]>();
  for (const pod of objects.filter(isPod)) workloads.set(pod, { kind: "Pod", name: pod.metadata.name });
  for (const object of objects) {
    const pods = isCronJob(object) ? podsOfCronJob(object, objects) : isWorkload(object) ? podsOf(object, objects) : [];
    const isOwned = object.metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
    if (isOwned) continue;
    for (const pod of pods) workloads.set(pod, { kind: object.kind, name: object.metadata.name });
  }
  return [...workloads]
    .map(([pod, workload]) => ({ pod: podDetail(pod, now), workload }))
    .sort((a, b) => (a.pod.name < b.pod.name ? -1 : 1));
}
