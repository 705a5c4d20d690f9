import { describe, expect, it } from "vitest";
import type {
  ClusterClient,
  LiveObject,
  WatchEvent,
  WatchOptions,
} from "../../../../shared/kube/client/ClusterClient.ts";
import { ClusterNotFound, ClusterRefused, ClusterUnreachable } from "../../../../shared/kube/client/errors.ts";
import { type ReadinessOutcome, watchReadiness } from "../../../../shared/kube/live/watchReadiness.ts";

const deployment = (replicas: number, metadata: Partial<LiveObject["metadata"]> = {}): LiveObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "1", generation: 1, ...metadata },
  spec: { replicas: 1 },
  status: {
    observedGeneration: metadata.generation ?? 1,
    replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
  },
});
const ref = { apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "shop" };
const listed = (...items: LiveObject[]): WatchEvent => ({ type: "listed", items, resourceVersion: "1" });
const modified = (object: LiveObject): WatchEvent => ({ type: "modified", object, resourceVersion: "2" });

/** A cluster whose watches play what a test says and then stay open. */
function fakeCluster(play: (options: WatchOptions) => AsyncIterable<WatchEvent>): ClusterClient {
  const refuse = () => Promise.reject(new Error("a readiness watch only watches"));
  return {
    address: "fake",
    version: refuse,
    apply: refuse,
    create: refuse,
    get: refuse,
    list: refuse,
    patch: refuse,
    remove: refuse,
    podLog: refuse,
    resource: refuse,
    forward: refuse,
    close: () => undefined,
    watch: (_kind, options = {}) => play(options),
  };
}

async function* open(options: WatchOptions, ...events: WatchEvent[]): AsyncGenerator<WatchEvent> {
  yield* events;
  await new Promise<void>((resolve) => {
    if (options.signal?.aborted) resolve();
    options.signal?.addEventListener("abort", () => resolve());
  });
}

async function outcomesOf(client: ClusterClient, workload: object = {}): Promise<ReadinessOutcome[]> {
  const outcomes: ReadinessOutcome[] = [];
  const signal = AbortSignal.timeout(2_000);
  const onOutcome = (outcome: ReadinessOutcome) => void outcomes.push(outcome);
  await watchReadiness(client, [{ id: "w", workloads: [{ ...ref, ...workload }] }], { onOutcome, signal }).done;
  return outcomes;
}

describe("a readiness watch", () => {
  it("does not take the state before the change for the state after it", async () => {
    const states: string[] = [];
    const client = fakeCluster((options) =>
      open(options, listed(deployment(1)), modified(deployment(1, { generation: 2 }))),
    );
    const watch = watchReadiness(client, [{ id: "w", workloads: [{ ...ref, generation: 2 }] }], {
      onOutcome: ({ state }) => void states.push(`${state} at ${watch.resumePoint()["Deployment.apps"]}`),
      signal: AbortSignal.timeout(2_000),
    });
    await watch.done;
    expect(states).toEqual(["ready at 2"]);
  });

  it("does not take an older object of the same name for the one applied", async () => {
    const client = fakeCluster((options) =>
      open(options, listed(deployment(1)), modified(deployment(1, { uid: "2" }))),
    );
    expect(await outcomesOf(client, { uid: "2" })).toMatchObject([{ state: "ready" }]);
  });

  it("takes a job whose time to live is over for ready, once the cluster itself says that it is gone", async () => {
    const job = { ...ref, apiVersion: "batch/v1", kind: "Job", expires: true };
    const answers = [new ClusterUnreachable("busy", "ECONNRESET"), new ClusterNotFound("gone")];
    const asked: string[] = [];
    const client: ClusterClient = {
      ...fakeCluster((options) => open(options, listed(), listed())),
      get: async ({ kind, name, namespace }) => {
        asked.push(`${namespace}/${kind}/${name}`);
        throw answers[asked.length - 1];
      },
    };
    expect(await outcomesOf(client, job)).toMatchObject([{ state: "ready" }]);
    expect(asked).toEqual(["shop/Job/web", "shop/Job/web"]);
    expect(await outcomesOf(client, { ...job, expires: false })).toEqual([]);
  });

  it("watches namespace by namespace where the whole cluster may not be read", async () => {
    const asked: (string | undefined)[] = [];
    const client = fakeCluster(async function* (options) {
      asked.push(options.namespace);
      if (options.namespace === undefined) throw new ClusterRefused("no", 403);
      yield* open(options, listed(deployment(1)));
    });
    expect(await outcomesOf(client)).toMatchObject([{ state: "ready" }]);
    expect(asked).toEqual([undefined, "shop"]);
  });

  it("fails when the cluster is lost, so that its starter knows", async () => {
    const client = fakeCluster(async function* () {
      yield listed();
      throw new ClusterUnreachable("gone", "ECONNRESET");
    });
    await expect(outcomesOf(client)).rejects.toBeInstanceOf(ClusterUnreachable);
  });

  it("fails when an outcome cannot be told", async () => {
    const client = fakeCluster((options) => open(options, listed(deployment(1))));
    const watch = watchReadiness(client, [{ id: "w", workloads: [ref] }], {
      onOutcome: () => Promise.reject(new Error("store is away")),
      signal: AbortSignal.timeout(2_000),
    });
    await expect(watch.done).rejects.toThrow("store is away");
  });

  it("ends at once when nothing waits, and is ready at once for what has no workloads", async () => {
    const client = fakeCluster(() => {
      throw new Error("nothing to watch");
    });
    const outcomes: string[] = [];
    const options = {
      onOutcome: ({ id }: ReadinessOutcome) => void outcomes.push(id),
      signal: AbortSignal.timeout(2_000),
    };
    await watchReadiness(client, [], options).done;
    await watchReadiness(client, [{ id: "empty", workloads: [] }], options).done;
    expect(outcomes).toEqual(["empty"]);
  });
});
