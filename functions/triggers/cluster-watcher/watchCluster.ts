import { setTimeout as sleep } from "node:timers/promises";
import { recordMetric } from "../../../shared/base/metrics/recordMetric.ts";
import { log } from "../../../shared/base/settings/log.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { holdLease, releaseLease } from "../../../shared/base/store/leases.ts";
import { reasonOf } from "../../../shared/environments/failures.ts";
import { allWaitsOf, type ReadinessWait } from "../../../shared/environments/store/readinessWaits.ts";
import { completeWait } from "../../../shared/environments/waits/completeWait.ts";
import { WaitExplainer } from "../../../shared/environments/waits/waitExplainer.ts";
import { isWatched, watcherLease } from "../../../shared/environments/waits/wakeWatcher.ts";
import { openCluster } from "../../../shared/kube/clusters/openCluster.ts";
import {
  type ReadinessWatch,
  type WorkloadReadiness,
  watchReadiness,
} from "../../../shared/kube/live/watchReadiness.ts";
import { JobWatchSession } from "../../../shared/workflows/pods/jobWatchSession.ts";

const leaseSeconds = 8;
const renewEverySeconds = 2;
const pollMilliseconds = 500;
const retryMilliseconds = 2000;
/** Between two jobs of a stage nothing waits for a moment: the watch stays open for the next one. */
const lingerMilliseconds = 5000;

export type WatchOutcome = "done" | "another watcher runs" | "lease lost" | "time is up" | "stopped";

interface WatchTask {
  clusterId: string;
  /** Unique to this run. */
  holder: string;
  runSeconds: number;
  /** Stops it where it does not wait for an answer. */
  signal?: AbortSignal;
}

/**
 * Watches a cluster while something waits on it, environments for their workloads and tasks for their jobs
 * (decisions 6.2): one lease, one LIST and WATCH a kind; waits that are added while it runs are taken up; a wait past its
 * deadline is settled as not ready. Ends when nothing has waited for five seconds, and at once where another one watches:
 * only one that seems dead is waited for, and one that died this moment is the reconciler's.
 */
export async function watchCluster({ clusterId, holder, runSeconds, signal }: WatchTask): Promise<WatchOutcome> {
  const lease = watcherLease(clusterId);
  const endsAt = nowSeconds() + runSeconds;
  // What woke this one is in the store: a watcher that lives takes it up, and looks once more when it has ended.
  while (!(await holdLease(lease, holder, leaseSeconds))) {
    if (await isWatched(clusterId)) return "another watcher runs";
    if (signal?.aborted === true) return "stopped";
    await sleep(pollMilliseconds);
  }
  for (;;) {
    const outcome = await heldWhile(lease, holder, () =>
      watchWhileWaited({ clusterId, lease, holder, endsAt, signal }),
    );
    if (outcome !== "done") return outcome;
    // No watcher would take up a wait that came after the last look and whose own watcher gave up on our lease.
    const { readiness, jobs } = await allWaitsOf(clusterId);
    if (readiness.length + jobs.length === 0 || !(await holdLease(lease, holder, leaseSeconds))) return "done";
  }
}

/** Gives the lease back also when the work fails, so that the next one need not wait for its end. */
async function heldWhile<T>(lease: string, holder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await releaseLease(lease, holder);
  }
}

async function watchWhileWaited(run: {
  clusterId: string;
  lease: string;
  holder: string;
  endsAt: number;
  signal: AbortSignal | undefined;
}): Promise<WatchOutcome> {
  const session = new WatchSession(run.clusterId);
  const wake = () => session.wake();
  run.signal?.addEventListener("abort", wake);
  const jobSession = new JobWatchSession(run.clusterId, wake);
  let renewedAt = nowSeconds();
  let awaitedAt = 0;
  let heardAt = Date.now();
  try {
    for (;;) {
      const { readiness, jobs } = await allWaitsOf(run.clusterId);
      const isAwaited = readiness.length + jobs.length > 0;
      if (isAwaited) awaitedAt = Date.now();
      else if (Date.now() - awaitedAt >= lingerMilliseconds || nowSeconds() >= run.endsAt) return "done";
      await Promise.all([session.take(readiness), jobSession.take(jobs)]);
      if (nowSeconds() >= run.endsAt) return "time is up";
      if (nowSeconds() - renewedAt >= renewEverySeconds) {
        if (!(await holdLease(run.lease, run.holder, leaseSeconds))) return "lease lost";
        renewedAt = nowSeconds();
        const heard = Math.min(session.heardAt(), jobSession.heardAt());
        // A watch that broke reports nothing until it is started again and has answered.
        if (heard > 0 && Number.isFinite(heard)) heardAt = heard;
        recordMetric("watcherLag", { cluster: run.clusterId }, (Date.now() - heardAt) / 1000);
      }
      if (run.signal?.aborted === true) return "stopped";
      await session.pause();
    }
  } finally {
    run.signal?.removeEventListener("abort", wake);
    recordMetric("watcherLag", { cluster: run.clusterId }, undefined);
    await Promise.all([session.end(), jobSession.end()]);
  }
}

interface KnownWait {
  wait: ReadinessWait;
  /** Absent where a job waits: its own limits decide when it has ended. */
  explainer?: WaitExplainer;
}

/** The watch on one cluster and the waits it knows; a watch that breaks is started again. */
class WatchSession {
  readonly #clusterId: string;
  readonly #waits = new Map<string, KnownWait>();
  readonly #ended = new AbortController();
  #watch: ReadinessWatch | undefined;
  #brokenUntil = 0;
  #wake: () => void = () => {};

  constructor(clusterId: string) {
    this.#clusterId = clusterId;
  }

  /** Takes up what is new, drops what is gone, settles what is overdue. */
  async take(waits: readonly ReadinessWait[]): Promise<void> {
    for (const id of this.#waits.keys()) {
      if (!waits.some(({ waitId }) => waitId === id)) this.#forget(id);
    }
    // Where only jobs are awaited, no workload is watched.
    const watch = waits.length === 0 ? undefined : await this.#openWatch();
    for (const wait of waits) {
      if (wait.deadline <= nowSeconds()) {
        await completeWait(wait, watch?.progress(wait.waitId) ?? [], this.#waits.get(wait.waitId)?.explainer?.last);
        this.#forget(wait.waitId);
      } else if (watch !== undefined && !isSame(this.#waits.get(wait.waitId)?.wait, wait)) {
        this.#waits.set(wait.waitId, this.#known(wait));
        const workloads = wait.workloads.map((workload) => ({ ...workload, namespace: wait.namespace }));
        watch.add({ id: wait.waitId, workloads });
      } else this.#waits.get(wait.waitId)?.explainer?.look();
    }
  }

  #known(wait: ReadinessWait): KnownWait {
    if (wait.changeId === undefined) return { wait };
    const explainer = new WaitExplainer(wait, async (explained) => {
      if (this.#waits.get(wait.waitId)?.explainer !== explainer) return;
      this.#forget(wait.waitId);
      await completeWait(wait, [], explained);
      this.#wake();
    });
    return { wait, explainer };
  }

  /** Until the next look; an outcome ends the pause early. */
  async pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await Promise.race([promise, sleep(pollMilliseconds)]);
  }

  /** Ends a pause that is under way. */
  wake(): void {
    this.#wake();
  }

  /** When the quietest watch last told something, in Unix milliseconds: 0 when it has not, `Infinity` without one. */
  heardAt(): number {
    return this.#watch?.heardAt() ?? Number.POSITIVE_INFINITY;
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await this.#watch?.done.catch(() => {});
  }

  #forget(id: string): void {
    this.#waits.delete(id);
    this.#watch?.remove(id);
  }

  async #openWatch(): Promise<ReadinessWatch | undefined> {
    if (this.#watch !== undefined || Date.now() < this.#brokenUntil) return this.#watch;
    try {
      const { client } = await openCluster(this.#clusterId);
      const watch = watchReadiness(client, [], {
        signal: this.#ended.signal,
        lingerSeconds: 60,
        onOutcome: ({ id, workloads }) => this.#settle(id, workloads),
      });
      watch.done.then(
        () => this.#reset(0),
        (error: unknown) => this.#broken(error),
      );
      this.#watch = watch;
    } catch (error) {
      this.#broken(error);
    }
    return this.#watch;
  }

  async #settle(id: string, workloads: readonly WorkloadReadiness[]): Promise<void> {
    const known = this.#waits.get(id);
    if (known !== undefined) await completeWait(known.wait, workloads, known.explainer?.last);
    this.#waits.delete(id);
    this.#wake();
  }

  /** A cluster that does not answer is tried again until the deadlines of the waits pass. */
  #broken(error: unknown): void {
    log.warn("watch broken", { clusterId: this.#clusterId, internal: reasonOf(error) ?? String(error) });
    this.#reset(Date.now() + retryMilliseconds);
  }

  #reset(brokenUntil: number): void {
    this.#watch = undefined;
    this.#waits.clear();
    this.#brokenUntil = brokenUntil;
  }
}

/** A later attempt has another token; a service that left takes its workloads along. */
function isSame(known: ReadinessWait | undefined, wait: ReadinessWait): boolean {
  return known?.taskToken === wait.taskToken && known.workloads.length === wait.workloads.length;
}
