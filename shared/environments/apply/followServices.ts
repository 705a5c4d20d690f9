import { setTimeout as delay } from "node:timers/promises";
import { keptWithConfig } from "../../base/settings/config.ts";
import { log } from "../../base/settings/log.ts";
import { environmentLabel } from "../../kube/apply/marks.ts";
import { openCluster } from "../../kube/clusters/openCluster.ts";
import { reasonOf } from "../failures.ts";
import type { EnvironmentRecord } from "../store/environments.ts";

/** `followed`: what changes from here on is told; `changed`; `lost`: nothing is told until `followed` comes again. */
export type FollowedState = "followed" | "changed" | "lost";

interface Follower {
  environmentId: string;
  tell(state: FollowedState): void;
}

/** Watches a cluster for all that follow environments on it, until the last one has left. */
interface ClusterWatch {
  followers: Set<Follower>;
  isCurrent: boolean;
  end: AbortController;
}

/** What the status of a service is made of; workloads of custom kinds are seen by their pods. */
const watchedKinds = [
  { apiVersion: "v1", kind: "Pod" },
  ...["Deployment", "StatefulSet", "DaemonSet"].map((kind) => ({ apiVersion: "apps/v1", kind })),
  ...["Job", "CronJob"].map((kind) => ({ apiVersion: "batch/v1", kind })),
];

const againMilliseconds = 30_000;

/** By cluster, of this process. */
const watches = keptWithConfig(() => new Map<string, ClusterWatch>());

/**
 * Tells that workloads or pods of an environment changed, until the signal ends it. One watch a kind of the whole cluster
 * serves all that follow something on it, because a connection to a cluster has room for a hundred requests. A cluster
 * that cannot be watched is tried again every half a minute.
 */
export function followServices(
  { clusterId, environmentId }: Pick<EnvironmentRecord, "clusterId" | "environmentId">,
  tell: (state: FollowedState) => void,
  signal: AbortSignal,
): void {
  if (signal.aborted) return;
  const watch = watches().get(clusterId) ?? beginWatch(clusterId);
  const follower = { environmentId, tell };
  watch.followers.add(follower);
  if (watch.isCurrent) tell("followed");
  const leave = (): void => {
    watch.followers.delete(follower);
    if (watch.followers.size > 0) return;
    watch.end.abort();
    if (watches().get(clusterId) === watch) watches().delete(clusterId);
  };
  signal.addEventListener("abort", leave, { once: true });
}

function beginWatch(clusterId: string): ClusterWatch {
  const watch: ClusterWatch = { followers: new Set(), isCurrent: false, end: new AbortController() };
  watches().set(clusterId, watch);
  void keepWatching(clusterId, watch);
  return watch;
}

async function keepWatching(clusterId: string, watch: ClusterWatch): Promise<void> {
  const { signal } = watch.end;
  while (!signal.aborted) {
    await watchOnce(clusterId, watch).catch((error: unknown) => {
      // Every answer that needs the cluster says why it cannot be reached.
      if (reasonOf(error) === undefined) log.error("cluster not watched", { clusterId, internal: String(error) });
    });
    if (signal.aborted) return;
    watch.isCurrent = false;
    tellAll(watch, "lost");
    await delay(againMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

/** @throws ClusterError when one of the kinds can be watched no more */
async function watchOnce(clusterId: string, watch: ClusterWatch): Promise<void> {
  const { client } = await openCluster(clusterId);
  const ended = new AbortController();
  const signal = AbortSignal.any([watch.end.signal, ended.signal]);
  const query = { labelSelector: environmentLabel, metadataOnly: true, signal };
  try {
    // The listed objects do not matter, only the version from which changes are reported.
    const versions = await Promise.all(watchedKinds.map((kind) => client.list(kind, { ...query, most: 1 })));
    watch.isCurrent = true;
    tellAll(watch, "followed");
    const watching = watchedKinds.map(async (kind, at) => {
      for await (const event of client.watch(kind, { ...query, resourceVersion: versions[at]?.resourceVersion })) {
        if (event.type === "listed") tellAll(watch, "changed");
        else if (event.type !== "bookmark") tellAll(watch, "changed", event.object.metadata.labels?.[environmentLabel]);
      }
    });
    await Promise.all(watching);
  } finally {
    ended.abort();
  }
}

/** @param only those that follow this environment */
function tellAll({ followers }: ClusterWatch, state: FollowedState, only?: string): void {
  for (const { environmentId, tell } of followers) if ((only ?? environmentId) === environmentId) tell(state);
}
