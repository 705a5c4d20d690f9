import { putCompressed } from "../../base/aws/objects/compressedObject.ts";
import { type LogPiece, logPositionOf, timedLines } from "../../base/common/timedLines.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { ClusterInvalid, ClusterNotFound } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { findPod, hasStarted, masksOfJob, stepStatuses } from "./liveJob.ts";
import { joinedLogs, maskedLog } from "./maskedLog.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

/** Of a job's log that is kept, from its end. */
const keptLogBytes = 16 * 1024 * 1024;

const lineFeed = 10;

/**
 * The end of a text that comes in pieces, from the beginning of a line on; where something is left out before it, a first
 * line says so. No more than the bytes that are kept, and one piece, are in memory.
 */
async function* lastBytes(text: AsyncIterable<Uint8Array>, most = keptLogBytes): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let isCut = false;
  for await (const piece of text) {
    pieces.push(piece);
    bytes += piece.length;
    for (let [oldest] = pieces; oldest !== undefined && bytes - oldest.length >= most; [oldest] = pieces) {
      isCut = true;
      bytes -= oldest.length;
      pieces.shift();
    }
  }
  const kept = Buffer.concat(pieces);
  if (!isCut && kept.length <= most) {
    yield kept;
    return;
  }
  const from = Math.max(0, kept.length - most);
  const line = from === 0 && !isCut ? 0 : kept.indexOf(lineFeed, Math.max(0, from - 1)) + 1;
  yield Buffer.from(`the beginning of this log is not kept: only its last ${most / 1024 / 1024} MiB are\n`);
  yield kept.subarray(line);
}

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
