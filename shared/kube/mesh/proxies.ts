import type { CallOptions, ClusterClient } from "../client/ClusterClient.ts";
import { isWorkload, type LivePod, type LiveWorkload } from "../live/liveTypes.ts";
import { podsOf } from "../live/podsOf.ts";
import { readEnvironment } from "../live/readEnvironment.ts";

/** Workloads whose pods are replaced because of the proxy. */
export const restartedKinds = [
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "apps/v1", kind: "DaemonSet" },
];

/** The pods that stand, by the workload they belong to. */
export type MeshPods = ReadonlyMap<LiveWorkload, readonly LivePod[]>;

/** Whether the mesh's proxy is among its containers; newer versions run it as an init container (decisions 11.14). */
export function hasProxy({ spec = {} }: LivePod): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ name }) => name === "istio-proxy");
}

/** The pods of an environment by workload; those on their way out are left out. */
export async function podsInMesh(
  client: ClusterClient,
  { environmentId, namespace }: { environmentId: string; namespace: string },
  call: CallOptions = {},
): Promise<MeshPods> {
  const live = await readEnvironment(client, { environmentId, namespace, kinds: restartedKinds, ...call });
  const standing = live.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return new Map(standing.filter(isWorkload).map((workload) => [workload, podsOf(workload, standing)]));
}
