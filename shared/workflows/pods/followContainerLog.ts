import { setTimeout as delay } from "node:timers/promises";
import { type LogPiece, type LogPosition, sinceTimeOf, timedLines } from "../../base/common/timedLines.ts";
import type { ClusterClient, PodLogOptions } from "../../kube/client/ClusterClient.ts";
import { ClusterInvalid, ClusterNotFound } from "../../kube/client/errors.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import type { LivePod } from "../../kube/live/liveTypes.ts";
import { endOf, findJob, findPod, hasStarted, masksOfJob, stepStatuses } from "./liveJob.ts";
import { joinedLogs, maskedLog } from "./maskedLog.ts";
import type { ContainerJobRef } from "./rules/containerJob.ts";

const lookMilliseconds = 500;
const lineFeed = 10;

export interface FollowOptions {
  /** How many of the last lines come first. */
  tailLines: number;
  /** The last line that was seen: what follows it comes, instead of the last lines. */
  after?: LogPosition | undefined;
  signal: AbortSignal;
}

/**
 * Follows the log of a job, all steps in order, without secrets (contract W 14): waits until the first step runs, ends
 * with the last one, with the Job's removal or with the signal. A job that is gone has an empty log here; its stored one
 * is `readContainerLog`'s. @throws ClusterError
 */
export async function* followContainerLog(
  ref: ContainerJobRef,
  options: FollowOptions,
): AsyncGenerator<readonly LogPiece[]> {
  const { client } = await openCluster(ref.clusterId);
  const follower = new JobFollower(client, ref, options.signal);
  const pod = await follower.startedPod();
  if (pod === undefined) return;
  const masks = await masksOfJob(client, ref);
  if (masks === undefined) return;
  const { after, tailLines } = options;
  const logs = after === undefined ? follower.logs(pod, tailLines) : follower.logsSince(pod, sinceTimeOf(after));
  yield* maskedLog(timedLines(joinedLogs(logs), after), masks);
}

type LogPart = Pick<PodLogOptions, "tailLines" | "sinceTime">;

class JobFollower {
  readonly #client: ClusterClient;
  readonly #ref: ContainerJobRef;
  readonly #signal: AbortSignal;

  constructor(client: ClusterClient, ref: ContainerJobRef, signal: AbortSignal) {
    this.#client = client;
    this.#ref = ref;
    this.#signal = signal;
  }

  /** The pod once one of its steps has started; undefined when that will not come. */
  startedPod(): Promise<LivePod | undefined> {
    return this.#podOnce((pod) => stepStatuses(pod).some(hasStarted));
  }

  async *logs(pod: LivePod, tailLines: number): AsyncGenerator<AsyncIterable<Uint8Array>> {
    const steps = stepStatuses(pod);
    const current = steps.findLastIndex(hasStarted);
    const names = steps.map(({ name }) => name);
    const [followed = "", ...later] = names.slice(current);
    const ended = names.slice(0, current);
    const { earlier, count } = await this.#tails(pod, ended, followed, tailLines);
    yield* earlier;
    yield this.#log(pod, followed, count === undefined ? {} : { tailLines: count });
    yield* this.#later(pod, later);
  }

  async *logsSince(pod: LivePod, sinceTime: string): AsyncGenerator<AsyncIterable<Uint8Array>> {
    const steps = stepStatuses(pod);
    const names = steps.map(({ name }) => name);
    const next = steps.findLastIndex(hasStarted) + 1;
    for (const name of names.slice(0, next)) yield this.#log(pod, name, { sinceTime });
    yield* this.#later(pod, names.slice(next));
  }

  async *#later(pod: LivePod, names: readonly string[]): AsyncGenerator<AsyncIterable<Uint8Array>> {
    for (const name of names) {
      const started = await this.#podOnce((live) =>
        stepStatuses(live).some((step) => step.name === name && hasStarted(step)),
      );
      if (started === undefined) return;
      yield this.#log(pod, name);
    }
  }

  /** The last lines of the steps that ended, as far as the one that runs has not enough itself. */
  async #tails(
    pod: LivePod,
    ended: readonly string[],
    running: string,
    tailLines: number,
  ): Promise<{ earlier: AsyncIterable<Uint8Array>[]; count: number | undefined }> {
    let left = tailLines - linesIn(await this.#tail(pod, running, tailLines));
    const earlier: AsyncIterable<Uint8Array>[] = [];
    for (const name of ended.toReversed()) {
      if (left <= 0) break;
      const text = await this.#tail(pod, name, left);
      left -= linesIn(text);
      earlier.unshift(only(text));
    }
    // With fewer lines than asked for it comes whole, whatever is added meanwhile.
    return { earlier, count: left > 0 || earlier.length > 0 ? undefined : tailLines };
  }

  async #tail(pod: LivePod, container: string, tailLines: number): Promise<Buffer> {
    if (tailLines <= 0) return Buffer.alloc(0);
    const place = { namespace: this.#ref.namespace, name: pod.metadata.name };
    try {
      const log = await this.#client.podLog(place, { container, tailLines, timestamps: true, signal: this.#signal });
      const chunks: Uint8Array[] = [];
      for await (const chunk of log) chunks.push(chunk);
      return Buffer.concat(chunks);
    } catch (error) {
      if (isOver(error, this.#signal)) return Buffer.alloc(0);
      throw error;
    }
  }

  async *#log(pod: LivePod, container: string, part: LogPart = {}): AsyncGenerator<Uint8Array> {
    const place = { namespace: this.#ref.namespace, name: pod.metadata.name };
    const options = { container, follow: true, timestamps: true, ...part, signal: this.#signal };
    try {
      yield* await this.#client.podLog(place, options);
    } catch (error) {
      if (!isOver(error, this.#signal)) throw error;
    }
  }

  async #podOnce(isMeant: (pod: LivePod) => boolean): Promise<LivePod | undefined> {
    while (!this.#signal.aborted) {
      const pod = await findPod(this.#client, this.#ref, { signal: this.#signal });
      if (pod !== undefined && isMeant(pod)) return pod;
      const job = await findJob(this.#client, this.#ref, { signal: this.#signal });
      if (job === undefined || endOf(job) !== undefined || job.metadata.deletionTimestamp !== undefined)
        return undefined;
      await delay(lookMilliseconds, undefined, { signal: this.#signal }).catch(() => undefined);
    }
    return undefined;
  }
}

async function* only(text: Buffer): AsyncGenerator<Uint8Array> {
  yield text;
}

function linesIn(text: Buffer): number {
  let count = 0;
  for (let at = text.indexOf(lineFeed); at >= 0; at = text.indexOf(lineFeed, at + 1)) count += 1;
  return text.length > 0 && text.at(-1) !== lineFeed ? count + 1 : count;
}

/** Whether the pod is gone, or the reader. */
function isOver(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || error instanceof ClusterNotFound || error instanceof ClusterInvalid;
}
