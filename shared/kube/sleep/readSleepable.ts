import { mapBounded } from "../../base/common/mapBounded.ts";
import { environmentLabel } from "../apply/marks.ts";
import type { CallOptions, ClusterClient, KindRef, LiveObject } from "../client/ClusterClient.ts";
import { ClusterKindUnknown } from "../client/errors.ts";
import { distinctKinds, isApplied } from "../live/readLive.ts";
import { kindKey } from "../objectKey.ts";

/** Kinds that can be put to rest without being deleted (contract P 14.3). */
const sleepable = new Set(["Deployment.apps", "StatefulSet.apps", "CloneSet.apps.kruise.io", "CronJob.batch"]);

export function isSleepable(kind: KindRef): boolean {
  return sleepable.has(kindKey(kind));
}

/**
 * The workloads of an environment that can be put to rest, as the cluster has them: one LIST for each of the kinds among
 * `kinds`. What controllers made of them is left out.
 * @throws ClusterError when the cluster cannot be read
 */
export async function readSleepable(
  client: ClusterClient,
  { environmentId, namespace }: { environmentId: string; namespace: string },
  kinds: readonly KindRef[],
  call: CallOptions = {},
): Promise<LiveObject[]> {
  const query = { namespace, labelSelector: `${environmentLabel}=${environmentId}`, ...call };
  const lists = await mapBounded(distinctKinds(kinds.filter(isSleepable)), 4, async (kind) => {
    try {
      return (await client.list(kind, query)).items;
    } catch (error) {
      if (error instanceof ClusterKindUnknown) return [];
      throw error;
    }
  });
  return lists.flat().filter((object) => isApplied(object) && object.metadata.deletionTimestamp === undefined);
}
