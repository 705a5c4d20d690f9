import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import { failureOf } from "../apply/applyResult.ts";
import { serviceLabel } from "../apply/marks.ts";
import type { ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import { type ObjectPreview, objectPreview } from "../preview/objectPreview.ts";

/** Its own manager: a later apply of the manifest leaves the annotation alone and starts no second restart. */
const restartManager = "slipway-restart";

/**
 * Replaces the pods of a workload by the annotation that kubectl uses; returns when the cluster accepted it.
 * @returns what the cluster refused, in its own words; undefined when it refused nothing
 */
export async function restartWorkload(
  client: ClusterClient,
  live: LiveObject,
  at: string,
): Promise<string | undefined> {
  try {
    await client.apply(restarted(live, at), { fieldManager: restartManager, force: true, metadataOnly: true });
    return undefined;
  } catch (error) {
    return failureOf(error).message;
  }
}

/** What a restart would change in a workload that was read whole. @throws ClusterError */
export async function previewRestart(client: ClusterClient, live: LiveObject): Promise<ObjectPreview> {
  const wanted = restarted(live, new Date().toISOString());
  const { object } = await client.apply(wanted, { fieldManager: restartManager, force: true, dryRun: true });
  return objectPreview(live.metadata.labels?.[serviceLabel] ?? "", live, object);
}

/** With its uid, so that a workload deleted at this moment is not made again without anything in it. */
function restarted({ apiVersion, kind, metadata }: LiveObject, at: string): KubeObject {
  const { name, namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), uid },
    spec: { template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": at } } } },
  };
}
