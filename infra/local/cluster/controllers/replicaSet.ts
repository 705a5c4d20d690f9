import type { KubeObject } from "../model/object.ts";
import type { Pod, ReplicaSet } from "../model/workloads.ts";
import { matchesSelector } from "../select/labelSelector.ts";
import { type Cluster, type Controller, controllerOf, keyOf, ownedBy, ownerKey } from "./controller.ts";
import { availableIn, isActive, isReady, podFrom, some } from "./podsOf.ts";

/** Keeps as many pods as each ReplicaSet asks for. */
export function replicaSetController(cluster: Cluster): Controller {
  return {
    name: "replicaset",
    watches: { "replicasets.apps": (set) => [keyOf(set)], pods: ownerKey("ReplicaSet") },
    reconcile(namespace, name) {
      const set = cluster.get<ReplicaSet>("replicasets.apps", namespace, name);
      if (!set) return undefined;
      if (!set.metadata.deletionTimestamp) {
        adopt(cluster, set, "pods");
        scale(cluster, set);
      }
      return report(cluster, set);
    },
  };
}

/** Takes matching objects without an owner. */
export function adopt(
  cluster: Cluster,
  owner: KubeObject & { spec: { selector: ReplicaSet["spec"]["selector"] } },
  key: string,
): void {
  for (const object of cluster.list(key, owner.metadata.namespace)) {
    if (object.metadata.ownerReferences || object.metadata.deletionTimestamp) continue;
    if (!matchesSelector(owner.spec.selector, object.metadata.labels) || controllerOf(object)) continue;
    cluster.write(key, { ...object, metadata: { ...object.metadata, ownerReferences: [ownedBy(owner)] } });
  }
}

function scale(cluster: Cluster, set: ReplicaSet): void {
  const pods = cluster.owned<Pod>(set, "pods").filter(isActive);
  const missing = set.spec.replicas - pods.length;
  const namespace = set.metadata.namespace ?? "";
  for (let i = 0; i < missing; i++) {
    const metadata = { generateName: `${set.metadata.name}-`, ownerReferences: [ownedBy(set)] };
    cluster.create("pods", namespace, podFrom(set.spec.template, set, metadata));
  }
  for (const pod of pods.sort(byWorth).slice(0, Math.max(0, -missing))) cluster.delete("pods", pod);
}

/** The pods to give up first: not running, then the youngest. */
function byWorth(a: Pod, b: Pod): number {
  return (
    Number(isReady(a)) - Number(isReady(b)) || (a.metadata.creationTimestamp > b.metadata.creationTimestamp ? -1 : 1)
  );
}

function report(cluster: Cluster, set: ReplicaSet): number | undefined {
  const current = cluster.get<ReplicaSet>("replicasets.apps", set.metadata.namespace ?? "", set.metadata.name);
  if (!current) return undefined;
  const pods = cluster.owned<Pod>(set, "pods").filter(isActive);
  const waits = pods.map((pod) => availableIn(pod, set.spec.minReadySeconds)).filter((wait) => wait !== undefined);
  cluster.writeStatus("replicasets.apps", current, {
    ...current.status,
    replicas: pods.length,
    fullyLabeledReplicas: some(pods.length),
    readyReplicas: some(pods.filter(isReady).length),
    availableReplicas: some(waits.filter((wait) => wait === 0).length),
    observedGeneration: current.metadata.generation,
  });
  const pending = waits.filter((wait) => wait > 0);
  return pending.length > 0 ? Math.min(...pending) + 1 : undefined;
}
