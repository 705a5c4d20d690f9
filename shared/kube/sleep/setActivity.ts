import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import type { Activity } from "./activity.ts";

/** Its own manager: the manifest keeps everything else, and the cluster tells who put a workload to rest. */
const sleepManager = "slipway-sleep";

/**
 * Makes a workload ask for what is given and leaves the rest of it as it is.
 * @returns the object as it is then; its metadata alone unless `dryRun`
 * @throws ClusterError; ClusterConflict when the object was replaced by another one of its name
 */
export async function setActivity(
  client: ClusterClient,
  { apiVersion, kind, metadata }: LiveObject,
  activity: Activity,
  options: CallOptions & { dryRun?: boolean } = {},
): Promise<LiveObject> {
  const { name, namespace, uid } = metadata;
  // With its uid, so that a workload deleted at this moment is not made again without anything in it.
  const place = { name, ...(namespace !== undefined && { namespace }), uid };
  const applied = await client.apply(
    { apiVersion, kind, metadata: place, spec: { ...activity } },
    { fieldManager: sleepManager, force: true, metadataOnly: options.dryRun !== true, ...options },
  );
  return applied.object;
}
