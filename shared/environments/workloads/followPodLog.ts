import { setTimeout as delay } from "node:timers/promises";
import { type LogPiece, type LogPosition, sinceTimeOf, timedLines } from "../../base/common/timedLines.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { ClusterNotFound } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { LivePod } from "../../kube/live/liveTypes.ts";
import { failingWith, reasonOf } from "../failures.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { podMissing, requirePod } from "./requirePod.ts";

export interface FollowedLog {
  podName: string;
  containerName: string;
  /** How many of the last lines come first. */
  tailLines: number;
  /** Only lines that are not older than this. */
  sinceSeconds?: number | undefined;
  /** The last line that was seen: what follows it comes, instead of the last lines. */
  after?: LogPosition | undefined;
}

const readSeconds = 10;
/** A refusal comes at once; a cluster that is silent for longer waits for the container's first line. */
const refusalSeconds = 2;

/**
 * Follows the log of a container of an environment's pod until it stops or `signal` ends it (contract P 10.2).
 * A reason to refuse is known before anything is answered; a later failure is thrown by the iteration.
 * @throws ApiError 404 for a pod that is not the environment's and for an unknown container; 6153 when the cluster
 * cannot be read, or the container did not start yet
 */
export async function followPodLog(
  environment: EnvironmentRecord,
  { podName, containerName, tailLines, sinceSeconds, after }: FollowedLog,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly LogPiece[]>> {
  const { clusterId, namespace, envKey } = environment;
  return failingWith(6153, async () => {
    const { client } = await openCluster(clusterId);
    requireContainer(
      await requirePod(client, environment, podName, { deadlineSeconds: readSeconds, signal }),
      containerName,
    );
    const beginning = after === undefined ? { tailLines, sinceSeconds } : { sinceTime: sinceTimeOf(after) };
    const options = { container: containerName, follow: true, timestamps: true, ...beginning, signal };
    const opening = client.podLog({ namespace, name: podName }, options).catch((error: unknown) => {
      throw error instanceof ClusterNotFound ? podMissing(podName, envKey) : error;
    });
    await refusalOf(opening);
    const log = linesOf(opening, `the log of container ${containerName} in pod ${podName} broke off`);
    return timedLines(log, after);
  });
}

function requireContainer({ metadata, spec = {} }: LivePod, containerName: string): void {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const names = [...containers, ...initContainers, ...ephemeralContainers].map(({ name }) => name);
  if (names.includes(containerName)) return;
  throw new ApiError(
    404,
    `container ${containerName} in pod ${metadata.name} does not exist; its containers are ${names.join(", ")}`,
  );
}

/** Waits for the answer as long as a refusal may take; a later failure is thrown where the lines are read. */
async function refusalOf(opening: Promise<unknown>): Promise<void> {
  const answered = new AbortController();
  const patience = delay(refusalSeconds * 1000, undefined, { signal: answered.signal }).catch(() => undefined);
  try {
    await Promise.race([opening, patience]);
  } finally {
    answered.abort();
    opening.catch(() => undefined);
  }
}

async function* linesOf(opening: Promise<AsyncIterable<Uint8Array>>, what: string): AsyncGenerator<Uint8Array> {
  try {
    yield* await opening;
  } catch (error) {
    const reason = error instanceof ApiError ? error.description : reasonOf(error);
    throw reason === undefined ? error : new ApiError(6153, `${what}: ${reason}`, { cause: error });
  }
}
