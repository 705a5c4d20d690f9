import { openCluster } from "../clusters/openCluster.ts";
import { ClusterNotFound } from "../kube/client/errors.ts";
import type { KubeObject } from "../manifest/kubeObject.ts";
import { workloadKey } from "../manifest/replicas.ts";
import { at } from "../manifest/workloads.ts";
import { mapBounded } from "../values/mapBounded.ts";
import { checkSeconds } from "./limits.ts";
import type { EnvironmentRecord } from "./store/environments.ts";

const scaled = new Set(["Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "CloneSet"]);
const atOnce = 8;

/** How many pods the workloads of a manifest ask for as they stand in the cluster, by `workloadKey`. @throws ClusterError */
export async function liveReplicas(
  { clusterId, namespace }: Pick<EnvironmentRecord, "clusterId" | "namespace">,
  objects: readonly KubeObject[],
): Promise<Record<string, number>> {
  const { client } = await openCluster(clusterId);
  const workloads = objects.filter(({ kind }) => scaled.has(kind));
  const counts = await mapBounded(workloads, atOnce, async ({ apiVersion, kind, metadata: { name } }) => {
    try {
      const live = await client.get({ apiVersion, kind, name, namespace }, { deadlineSeconds: checkSeconds });
      const count = at(live, ["spec", "replicas"]);
      return typeof count === "number" ? [[workloadKey({ kind, name }), count] as const] : [];
    } catch (error) {
      if (error instanceof ClusterNotFound) return [];
      throw error;
    }
  });
  return Object.fromEntries(counts.flat());
}
