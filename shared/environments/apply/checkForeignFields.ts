import { mapBounded } from "../../base/common/mapBounded.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import type { PreparedObject } from "../../kube/apply/prepareObjects.ts";
import type { CallOptions, ClusterClient, KindRef } from "../../kube/client/ClusterClient.ts";
import { ClusterConflict, RetryableClusterError } from "../../kube/client/errors.ts";
import { type LiveIndex, readLive } from "../../kube/live/readLive.ts";
import { kindKey } from "../../kube/objectKey.ts";
import { EnvironmentProblem, reasonOf } from "../failures.ts";

const atOnce = 16;

/** What exists in a namespace, and outside of any, without our mark: one LIST per kind. @throws ClusterError */
export function readForeign(
  client: ClusterClient,
  kinds: readonly KindRef[],
  namespace: string,
  call: CallOptions,
): Promise<LiveIndex> {
  return readLive(client, kinds, namespace, { labelSelector: `!${environmentLabel}`, ...call });
}

/**
 * Asks the cluster, without changing anything, whether objects that exist there without our mark can be taken over:
 * creating and adding force only when they adopt. Only objects found among the `foreign` are tried.
 * @throws EnvironmentProblem naming every object, manager and field, with what to send to take over what exists there;
 * ClusterError when the cluster cannot be asked
 */
export async function checkForeignFields(
  client: ClusterClient,
  objects: readonly PreparedObject[],
  foreign: LiveIndex,
  { force, ...call }: CallOptions & { force: boolean },
): Promise<void> {
  const tried = objects.filter(({ key }) => foreign.has(key));
  let offers = false;
  const refused = await mapBounded(tried, atOnce, async ({ object, ref }) => {
    // A Job is not changed but made again.
    if (force && kindKey(ref) === "Job.batch") return [];
    try {
      await client.apply(object, { force, dryRun: true, ...call });
      return [];
    } catch (error) {
      if (error instanceof RetryableClusterError) throw error;
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      offers ||= error instanceof ClusterConflict;
      return [reason];
    }
  });
  const found = refused.flat();
  if (offers) found.push("to take over what stands there, send adopt: true");
  if (found.length > 0) throw new EnvironmentProblem(found.join("; "));
}
