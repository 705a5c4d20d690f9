import type { ClusterClient, LiveObject } from "../clients/kubernetes/ClusterClient.ts";
import { failureOf } from "./applyResult.ts";

/** Its own manager: a later apply of the manifest leaves the annotation alone and starts no second restart. */
const restartManager = "slipway-restart";

/**
 * Makes the pods of a workload anew by the annotation that kubectl uses; returns when the cluster accepted it.
 * @returns what the cluster refused, in its own words; undefined when nothing
 */
export async function restartWorkload(
  client: ClusterClient,
  { apiVersion, kind, metadata }: LiveObject,
  at: string,
): Promise<string | undefined> {
  const { name, namespace, uid } = metadata;
  const annotations = { "kubectl.kubernetes.io/restartedAt": at };
  try {
    await client.apply(
      // With its uid, so that a workload deleted at this moment is not made again without anything in it.
      {
        apiVersion,
        kind,
        metadata: { name, ...(namespace !== undefined && { namespace }), uid },
        spec: { template: { metadata: { annotations } } },
      },
      { fieldManager: restartManager, force: true, metadataOnly: true },
    );
    return undefined;
  } catch (error) {
    return failureOf(error).message;
  }
}
