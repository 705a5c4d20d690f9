import type { DaemonSet, Pod } from "../model/workloads.ts";
import { type Cluster, type Controller, keyOf, ownedBy, ownerKey } from "./controller.ts";
import { isActive, isReady, podFrom, some, templateHash } from "./podsOf.ts";

const hashLabel = "controller-revision-hash";

/** Keeps one pod of each DaemonSet on the one node. */
export function daemonSetController(cluster: Cluster): Controller {
  return {
    name: "daemonset",
    watches: { "daemonsets.apps": (set) => [keyOf(set)], pods: ownerKey("DaemonSet") },
    reconcile(namespace, name) {
      const set = cluster.get<DaemonSet>("daemonsets.apps", namespace, name);
      if (!set) return undefined;
      const hash = templateHash(set.spec.template);
      if (!set.metadata.deletionTimestamp) step(cluster, set, hash);
      report(cluster, namespace, name, hash);
      return undefined;
    },
  };
}

function step(cluster: Cluster, set: DaemonSet, hash: string): void {
  const all = cluster.owned<Pod>(set, "pods");
  const pods = all.filter(isActive);
  const rolling = set.spec.updateStrategy?.type !== "OnDelete";
  for (const pod of pods) if (rolling && pod.metadata.labels?.[hashLabel] !== hash) cluster.delete("pods", pod);
  if (all.length > 0) return;
  const labels = {
    ...set.spec.template.metadata?.labels,
    [hashLabel]: hash,
    "pod-template-generation": String(set.metadata.generation ?? 1),
  };
  const metadata = { generateName: `${set.metadata.name}-`, labels, ownerReferences: [ownedBy(set)] };
  cluster.create("pods", set.metadata.namespace ?? "", podFrom(set.spec.template, set, metadata));
}

function report(cluster: Cluster, namespace: string, name: string, hash: string): void {
  const set = cluster.get<DaemonSet>("daemonsets.apps", namespace, name);
  if (!set) return;
  const pods = cluster.owned<Pod>(set, "pods").filter(isActive);
  const ready = pods.filter(isReady).length;
  cluster.writeStatus("daemonsets.apps", set, {
    observedGeneration: set.metadata.generation,
    currentNumberScheduled: pods.length,
    desiredNumberScheduled: 1,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: some(ready),
    numberUnavailable: some(1 - ready),
    updatedNumberScheduled: some(pods.filter((pod) => pod.metadata.labels?.[hashLabel] === hash).length),
  });
}
