import { mapBounded } from "../../base/common/mapBounded.ts";
import { ClusterNotFound } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { isScalable, type WorkloadName, workloadKey } from "../../manifest/replicas.ts";
import { at } from "../../manifest/workloads.ts";
import { checkSeconds } from "../limits.ts";
import type { EnvironmentRecord } from "../store/environments.ts";

const atOnce = 8;

interface Scalable extends WorkloadName {
  apiVersion: string;
}

/** How many pods workloads in the cluster ask for, by `workloadKey`. @throws ClusterError */
export async function liveReplicas(
  { clusterId, namespace }: Pick<EnvironmentRecord, "clusterId" | "namespace">,
  objects: readonly Scalable[],
): Promise<Record<string, number>> {
  const workloads = objects.filter(isScalable);
  if (workloads.length === 0) return {};
  const { client } = await openCluster(clusterId);
  const counts = await mapBounded(workloads, atOnce, async ({ apiVersion, kind, name }) => {
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
