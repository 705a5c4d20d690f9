import { environmentLabel } from "../apply/marks.ts";
import type { ClusterClient, ObjectRef } from "../client/ClusterClient.ts";
import { ClusterNotFound } from "../client/errors.ts";
import { kindKey } from "../objectKey.ts";
import { type Informer, placeOf, quietest, startInformer } from "./informer.ts";
import { type Readiness, ready, workloadReady } from "./workloadReady.ts";

/** A workload that a caller waits for. */
export interface AwaitedWorkload extends ObjectRef {
  /** The object that was applied; an older one of the same name does not count. */
  uid?: string | undefined;
  /** Its generation after the apply; an older state of it does not count. */
  generation?: number | undefined;
  /** No environment applied it: it carries no label of ours. */
  foreign?: boolean | undefined;
  /** A Job that the cluster removes some time after its end: it is ready when it is gone. */
  expires?: boolean | undefined;
}

export interface ReadinessWait {
  id: string;
  workloads: readonly AwaitedWorkload[];
}

export interface WorkloadReadiness extends Readiness {
  ref: ObjectRef;
}

export interface ReadinessOutcome {
  id: string;
  /** `failed`: at least one workload cannot become ready by waiting. */
  state: "ready" | "failed";
  workloads: WorkloadReadiness[];
}

export interface ReadinessWatch {
  /** Waits for more; a wait with an id that is known is replaced. After the end it is refused. */
  add(wait: ReadinessWait): boolean;
  remove(id: string): void;
  /** How far a wait is, for a message when its time is up. */
  progress(id: string): WorkloadReadiness[];
  /** Kind → resource version seen: what a successor starts from. */
  resumePoint(): Record<string, string>;
  /** When the quietest watch last told something, in Unix milliseconds: 0 when it has not, `Infinity` without one. */
  heardAt(): number;
  /** Settles when no wait is left or the signal ended the watch; fails with the `ClusterError` that ended it. */
  readonly done: Promise<void>;
}

export interface ReadinessOptions {
  /** Called once for each wait, when each of its workloads is ready or has failed for good. */
  onOutcome(outcome: ReadinessOutcome): void | Promise<void>;
  signal: AbortSignal;
  /** `resumePoint` of a predecessor: lists may then come from the server's cache. */
  resumeFrom?: Readonly<Record<string, string>>;
  /** How long nothing may wait before the watch ends, so that waits that follow each other share it; default 0. */
  lingerSeconds?: number;
}

/**
 * Watches the awaited workloads of all environments of one cluster: one LIST and one WATCH per kind, by our label, no
 * request per object. Every wait is judged by the whole state, so that nothing is missed in whatever order events come.
 */
export function watchReadiness(
  client: ClusterClient,
  initial: readonly ReadinessWait[],
  options: ReadinessOptions,
): ReadinessWatch {
  const waits = new Map<string, ReadinessWait>();
  const informers = new Map<string, Informer>();
  const outcomes = new Set<Promise<void>>();
  /** Workloads that expired, and those that are being looked for. */
  const expired = new Set<AwaitedWorkload>();
  const sought = new Set<AwaitedWorkload>();
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  let finished = false;
  let failure: unknown;
  let linger: NodeJS.Timeout | undefined;
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();

  function end(error?: unknown): void {
    if (finished) return;
    finished = true;
    failure = error;
    clearTimeout(linger);
    ended.abort();
    // Outcomes on their way are part of the work.
    void Promise.allSettled([...outcomes, ...[...informers.values()].map(({ running }) => running)]).then(() =>
      failure === undefined ? resolve() : reject(failure),
    );
  }

  function endWhenIdle(): void {
    clearTimeout(linger);
    if (waits.size > 0) return;
    if (options.lingerSeconds === undefined) end();
    else linger = setTimeout(end, options.lingerSeconds * 1000);
  }

  function informerOf({ foreign = false, ...kind }: AwaitedWorkload): Informer {
    const { namespace } = kind;
    const wide = informers.get(kindKey(kind));
    const narrow = `${kindKey(kind)} ${namespace ?? ""}${foreign ? " foreign" : ""}`;
    // What is not ours is looked at in its namespace alone.
    const key = foreign || wide?.refused === true ? narrow : kindKey(kind);
    const found = informers.get(key);
    if (found !== undefined) return found;
    const started = startInformer(client, kind, key === kindKey(kind) ? undefined : namespace, signal, {
      ...(foreign && { labelSelector: `!${environmentLabel}` }),
      notOlderThan: options.resumeFrom?.[key],
      changed: judgeAll,
      failed: end,
      // A user who may not look at the whole cluster is watched for namespace by namespace.
      refused: () => {
        for (const wait of waits.values()) for (const ref of wait.workloads) informerOf(ref);
      },
    });
    informers.set(key, started);
    return started;
  }

  function readinessOf(wait: ReadinessWait): WorkloadReadiness[] {
    return wait.workloads.map((awaited) => {
      const informer = informerOf(awaited);
      if (awaited.expires === true && informer.synced && !informer.objects.has(placeOf(awaited))) lookFor(awaited);
      return { ref: awaited, ...(expired.has(awaited) ? ready : judge(informer, awaited)) };
    });
  }

  /** What the informer does not have may be gone already, or not have been told yet: the object itself says which. */
  function lookFor(awaited: AwaitedWorkload): void {
    if (sought.has(awaited) || expired.has(awaited)) return;
    sought.add(awaited);
    client
      .get(awaited, { signal })
      .catch((error: unknown) => {
        if (!(error instanceof ClusterNotFound)) return;
        expired.add(awaited);
        judgeAll();
      })
      .finally(() => sought.delete(awaited));
  }

  function judgeAll(): void {
    for (const wait of [...waits.values()]) {
      if (finished) return;
      const workloads = readinessOf(wait);
      if (workloads.some(({ state }) => state === "progressing")) continue;
      const failed = workloads.some(({ state }) => state === "failed");
      waits.delete(wait.id);
      const state = failed ? "failed" : "ready";
      const told = Promise.resolve(options.onOutcome({ id: wait.id, state, workloads })).catch(end);
      outcomes.add(told);
      void told.finally(() => {
        outcomes.delete(told);
        endWhenIdle();
      });
    }
  }

  function add(wait: ReadinessWait): boolean {
    if (finished) return false;
    clearTimeout(linger);
    waits.set(wait.id, wait);
    for (const ref of wait.workloads) informerOf(ref);
    judgeAll();
    return true;
  }

  // Who does not wait for the end is told by the outcomes that do not come.
  done.catch(() => undefined);
  signal.addEventListener("abort", () => end(), { once: true });
  for (const wait of initial) add(wait);
  if (options.signal.aborted) end();
  else if (outcomes.size === 0) endWhenIdle();

  return {
    add,
    remove(id) {
      waits.delete(id);
      if (outcomes.size === 0) endWhenIdle();
    },
    progress: (id) => {
      const wait = waits.get(id);
      return wait === undefined ? [] : readinessOf(wait);
    },
    resumePoint: () =>
      Object.fromEntries([...informers].flatMap(([key, { version }]) => (version === "" ? [] : [[key, version]]))),
    heardAt: () => quietest(informers.values()),
    done,
  };
}

function judge(informer: Informer, awaited: AwaitedWorkload): Readiness {
  if (!informer.synced) return { state: "progressing", reason: "was not read yet" };
  const object = informer.objects.get(placeOf(awaited));
  if (object === undefined) return { state: "progressing", reason: "does not exist" };
  if (awaited.uid !== undefined && object.metadata.uid !== awaited.uid)
    return { state: "progressing", reason: "was replaced by another object" };
  if ((object.metadata.generation ?? 0) < (awaited.generation ?? 0))
    return { state: "progressing", reason: "its change was not seen yet" };
  return workloadReady(object);
}
