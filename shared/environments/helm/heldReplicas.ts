import { type SetReplicas, workloadKey } from "../../manifest/replicas.ts";
import type { EnvironmentRecord, EnvironmentService } from "../store/environments.ts";
import { liveReplicas } from "../workloads/liveReplicas.ts";

/**
 * SetReplicas of a running release that differ from what its revision rendered: a person or an autoscaler set them, so they
 * stay (decisions 20.2). Of a release that has no record of what it rendered, those that were set through Slipway.
 * @throws ClusterError when the cluster cannot be read
 */
export async function heldReplicas(
  place: Pick<EnvironmentRecord, "clusterId" | "namespace">,
  current: Pick<EnvironmentService, "release" | "replicas" | "workloads"> | undefined,
): Promise<Record<string, number>> {
  const rendered = current?.release?.renderedReplicas;
  if (current?.release === undefined || current.release.draft === true) return {};
  if (rendered === undefined) return current.replicas ?? {};
  const counted = current.workloads.filter((workload) => rendered[workloadKey(workload)] !== undefined);
  const live = await liveReplicas(place, counted);
  return Object.fromEntries(Object.entries(live).filter(([key, count]) => rendered[key] !== count));
}

/** Those of the held counts that a rendering still needs: its workloads, where it says another number. */
export function stillHeld(
  held: SetReplicas,
  workloads: ReadonlySet<string>,
  rendered: SetReplicas,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(held).filter(([key, count]) => workloads.has(key) && rendered[key] !== count),
  );
}

/** By workload why it keeps its number of pods, for a preview. */
export function heldNotes(held: SetReplicas, rendered: SetReplicas): Record<string, string> {
  return Object.fromEntries(
    Object.entries(held).flatMap(([key, count]) => {
      const wanted = rendered[key];
      if (wanted === undefined) return [];
      const why = `a person or an autoscaler set them, and the chart renders ${wanted}`;
      return [[key, `keeps its ${count} replicas: ${why}; scale it to ${wanted} to follow the values again`]];
    }),
  );
}
