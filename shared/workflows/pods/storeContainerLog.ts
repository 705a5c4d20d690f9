import { putCompressed } from "../../base/aws/objects/compressedObject.ts";
import { type LogPiece, logPositionOf, timedLines } from "../../base/common/timedLines.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { ClusterInvalid, ClusterNotFound } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { lastBytes } from "./lastBytes.ts";
import { findPod, hasStarted, masksOfJob, stepStatuses } from "./liveJob.ts";
import { joinedLogs, maskedLog } from "./maskedLog.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/** The whole log of one container; a cluster that sends nothing for so long has lost it. */
const readSeconds = 120;

/**
 * Keeps the log of an ended job in the object store: all steps in order, masked, with times, compressed; of a long one its end
 * (contract W 11.6). Before the job is removed; when its pod is gone already, what was stored stays. @throws ClusterError
 */
export async function storeContainerLog(ref: ContainerJobRef, objectKey: string): Promise<void> {
  const { client } = await openCluster(ref.clusterId);
  const [pod, masks] = await Promise.all([findPod(client, ref), masksOfJob(client, ref)]);
  if (pod === undefined || masks === undefined) return;
  const names = stepStatuses(pod)
    .filter(hasStarted)
    .map(({ name }) => name);
  const logs = names.map((container) =>
    containerLog(client, { namespace: ref.namespace, name: pod.metadata.name }, container),
  );
  await putCompressed(objectKey, lastBytes(withTimes(maskedLog(timedLines(joinedLogs(logs)), masks))));
}

/** As it is stored: each line begins with its time, so that a client that followed the log can continue in it. */
async function* withTimes(log: AsyncIterable<readonly LogPiece[]>): AsyncGenerator<Uint8Array> {
  for await (const pieces of log)
    yield Buffer.concat(
      pieces.flatMap(({ id, bytes }) => {
        const position = id === undefined ? undefined : logPositionOf(id);
        return position === undefined ? [bytes] : [Buffer.from(`${position.time} `), bytes];
      }),
    );
}

async function* containerLog(
  client: ClusterClient,
  pod: { namespace: string; name: string },
  container: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* await client.podLog(pod, { container, timestamps: true, signal: AbortSignal.timeout(readSeconds * 1000) });
  } catch (error) {
    // The node forgot the container, or its pod went in the meantime.
    if (!(error instanceof ClusterInvalid || error instanceof ClusterNotFound)) throw error;
    yield Buffer.from(`the log of ${container} cannot be read any more\n`);
  }
}
