import { completeTask } from "../../base/aws/states/stateMachines.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import type { ClusterClient } from "../../kube/client/ClusterClient.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { type Informer, placeOf, quietest, startInformer } from "../../kube/live/informer.ts";
import { type JobWait, removeJobWait } from "../../kube/waits/jobWaits.ts";
import { endOf, findJob, type LiveJob } from "./liveJob.ts";
import { jobLabel } from "./rules/marks.ts";
import { stuckReason } from "./stuckReason.ts";

const retryMilliseconds = 2000;
/** How often the cluster is asked about a job of which nothing is seen to happen. */
const askEverySeconds = 10;
/** Between two jobs of a project nothing waits for a moment: its watches stay open for the next one. */
const lingerMilliseconds = 5000;

interface NamespaceWatch {
  jobs: Informer;
  pods: Informer;
  stop: AbortController;
  /** When a job was last awaited in the namespace, in Unix milliseconds. */
  awaitedAt: number;
}

/**
 * The awaited jobs of one cluster: one LIST and WATCH of the Jobs and one of the pods with our label in each namespace
 * in which a job is awaited, until none has been for five seconds. A watch that breaks is started again; the deadlines
 * of the waits hold meanwhile.
 */
export class JobWatchSession {
  readonly #clusterId: string;
  readonly #wake: () => void;
  readonly #watches = new Map<string, NamespaceWatch>();
  /** Job → when the cluster was last asked about it. */
  readonly #asked = new Map<string, number>();
  #ended = new AbortController();
  #awaited: readonly JobWait[] = [];
  #brokenUntil = 0;
  #client: ClusterClient | undefined;

  /** @param wake called when something is to be settled */
  constructor(clusterId: string, wake: () => void) {
    this.#clusterId = clusterId;
    this.#wake = wake;
  }

  /** Settles what ended, vanished, is stuck or is overdue. */
  async take(waits: readonly JobWait[]): Promise<void> {
    this.#awaited = waits;
    this.#endIdle();
    if (waits.length === 0) return;
    const client = await this.#open();
    await Promise.all(
      waits.map(async (wait) => {
        const isOver = wait.deadline <= nowSeconds() || (client !== undefined && (await this.#isOver(client, wait)));
        if (isOver) await settleJobWait(wait);
      }),
    );
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.allSettled(this.#informers().map(({ running }) => running));
  }

  /** When the quietest watch last sent something, in Unix milliseconds: 0 when it has not, `Infinity` without one. */
  heardAt(): number {
    return quietest(this.#informers());
  }

  #informers(): Informer[] {
    return [...this.#watches.values()].flatMap(({ jobs, pods }) => [jobs, pods]);
  }

  #endIdle(): void {
    for (const { namespace } of this.#awaited) {
      const watch = this.#watches.get(namespace);
      if (watch !== undefined) watch.awaitedAt = Date.now();
    }
    for (const [namespace, { awaitedAt, stop }] of this.#watches) {
      if (Date.now() - awaitedAt < lingerMilliseconds) continue;
      stop.abort();
      this.#watches.delete(namespace);
    }
  }

  async #open(): Promise<ClusterClient | undefined> {
    if (this.#client !== undefined || Date.now() < this.#brokenUntil) return this.#client;
    try {
      this.#client = (await openCluster(this.#clusterId)).client;
      return this.#client;
    } catch (error) {
      this.#broken(error);
      return undefined;
    }
  }

  async #isOver(client: ClusterClient, wait: JobWait): Promise<boolean> {
    const { jobs, pods } = this.#watchOf(client, wait.namespace);
    if (!jobs.synced || !pods.synced) return false;
    const place = { namespace: wait.namespace, name: wait.name };
    const job: LiveJob | undefined = jobs.objects.get(placeOf({ apiVersion: "batch/v1", kind: "Job", ...place }));
    if (job !== undefined && endOf(job) !== undefined) return true;
    const now = nowSeconds();
    if (now - (this.#asked.get(wait.name) ?? 0) < askEverySeconds) return false;
    this.#asked.set(wait.name, now);
    try {
      // A Job that was made a moment ago may not have come by the watch yet.
      if (job === undefined) return (await findJob(client, wait)) === undefined;
      const pod = [...pods.objects.values()].find(({ metadata }) => metadata.labels?.["s-name"] === wait.name);
      return (await stuckReason(client, place, { job, pod })) !== undefined;
    } catch (error) {
      this.#broken(error);
      return false;
    }
  }

  #watchOf(client: ClusterClient, namespace: string): NamespaceWatch {
    const known = this.#watches.get(namespace);
    if (known !== undefined) return known;
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#ended.signal]);
    const events = {
      notOlderThan: undefined,
      labelSelector: jobLabel,
      failed: (error: unknown) => {
        if (!signal.aborted) this.#broken(error);
      },
      refused: () => {},
    };
    const watch: NamespaceWatch = {
      jobs: startInformer(client, { apiVersion: "batch/v1", kind: "Job" }, namespace, signal, {
        ...events,
        changed: () => this.#look(namespace),
      }),
      pods: startInformer(client, { apiVersion: "v1", kind: "Pod" }, namespace, signal, {
        ...events,
        changed: () => {},
      }),
      stop,
      awaitedAt: Date.now(),
    };
    this.#watches.set(namespace, watch);
    return watch;
  }

  /** Wakes the watcher when an awaited Job has ended or is gone. */
  #look(namespace: string): void {
    const objects = this.#watches.get(namespace)?.jobs.objects;
    const isOver = ({ name }: JobWait): boolean => {
      const job: LiveJob | undefined = objects?.get(placeOf({ apiVersion: "batch/v1", kind: "Job", namespace, name }));
      if (job === undefined) this.#asked.delete(name);
      return job === undefined || endOf(job) !== undefined;
    };
    if (this.#awaited.some((wait) => wait.namespace === namespace && isOver(wait))) this.#wake();
  }

  #broken(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    log.warn("watch of jobs broken", { clusterId: this.#clusterId, internal: String(error) });
    this.#ended.abort();
    this.#ended = new AbortController();
    this.#watches.clear();
    this.#client = undefined;
    this.#brokenUntil = Date.now() + retryMilliseconds;
  }
}

/** Lets the state machine continue and removes the wait; a token that is no longer awaited is no error. */
async function settleJobWait(wait: JobWait): Promise<void> {
  await completeTask(wait.taskToken, {});
  await removeJobWait(wait);
}
