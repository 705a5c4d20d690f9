import { type Dict, dictAt, equal, type KubeObject } from "../model/object.ts";
import type { Pod, StatefulSet } from "../model/workloads.ts";
import { type Cluster, type Controller, keyOf, ownedBy, ownerKey } from "./controller.ts";
import { isFinished, isReady, podFrom, some, templateHash } from "./podsOf.ts";

const hashLabel = "controller-revision-hash";

/** Keeps numbered pods in order, each with its own claims, and updates them from the highest number down. */
export function statefulSetController(cluster: Cluster): Controller {
  return {
    name: "statefulset",
    watches: { "statefulsets.apps": (set) => [keyOf(set)], pods: ownerKey("StatefulSet") },
    reconcile(namespace, name) {
      const set = cluster.get<StatefulSet>("statefulsets.apps", namespace, name);
      if (!set) return undefined;
      if (!set.metadata.deletionTimestamp) step(cluster, set);
      report(cluster, set);
      return undefined;
    },
  };
}

function revisionName(set: StatefulSet): string {
  return `${set.metadata.name}-${templateHash(set.spec.template)}`;
}

function podsOf(cluster: Cluster, set: StatefulSet): Map<number, Pod> {
  const pods = cluster.owned<Pod>(set, "pods");
  return new Map(pods.map((pod) => [Number(pod.metadata.name.slice(set.metadata.name.length + 1)), pod]));
}

function step(cluster: Cluster, set: StatefulSet): void {
  const pods = podsOf(cluster, set);
  const ordered = set.spec.podManagementPolicy !== "Parallel";
  const start = set.spec.ordinals?.start ?? 0;
  const end = start + set.spec.replicas;
  for (let ordinal = start; ordinal < end; ordinal++) {
    const pod = pods.get(ordinal);
    if (pod && isFinished(pod) && !pod.metadata.deletionTimestamp) cluster.delete("pods", pod);
    if (!pod) createPod(cluster, set, ordinal);
    if (ordered && (!pod || !isReady(pod) || pod.metadata.deletionTimestamp)) return;
  }
  const surplus = [...pods.keys()].filter((ordinal) => ordinal < start || ordinal >= end).sort((a, b) => b - a);
  for (const ordinal of surplus) {
    const pod = pods.get(ordinal) as Pod;
    if (!pod.metadata.deletionTimestamp) cluster.delete("pods", pod);
    if (ordered) return;
  }
  update(cluster, set, pods, end);
}

/** Replaces the highest outdated pod, one at a time, once all above it are ready again. */
function update(cluster: Cluster, set: StatefulSet, pods: Map<number, Pod>, end: number): void {
  if (set.spec.updateStrategy?.type === "OnDelete") return;
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  const revision = revisionName(set);
  for (let ordinal = end - 1; ordinal >= partition; ordinal--) {
    const pod = pods.get(ordinal);
    if (!pod) return;
    if (pod.metadata.labels?.[hashLabel] !== revision) {
      if (!pod.metadata.deletionTimestamp) cluster.delete("pods", pod);
      return;
    }
    if (!isReady(pod)) return;
  }
}

function createPod(cluster: Cluster, set: StatefulSet, ordinal: number): void {
  const namespace = set.metadata.namespace ?? "";
  const name = `${set.metadata.name}-${ordinal}`;
  const claims = (set.spec.volumeClaimTemplates ?? []).map((template) => createClaim(cluster, set, template, ordinal));
  const { template } = set.spec;
  const volumes = [
    ...(template.spec.volumes ?? []).filter((volume) => !claims.some((claim) => claim.name === volume.name)),
    ...claims,
  ];
  const body = podFrom({ ...template, spec: { ...template.spec, ...(volumes.length > 0 ? { volumes } : {}) } }, set, {
    name,
    labels: {
      ...template.metadata?.labels,
      "apps.kubernetes.io/pod-index": String(ordinal),
      [hashLabel]: revisionName(set),
      "statefulset.kubernetes.io/pod-name": name,
    },
    ownerReferences: [ownedBy(set)],
  });
  const spec = dictAt(body, "spec");
  cluster.create("pods", namespace, {
    ...body,
    spec: { ...spec, hostname: name, subdomain: set.spec.serviceName ?? "" },
  });
}

function createClaim(cluster: Cluster, set: StatefulSet, template: KubeObject, ordinal: number) {
  const namespace = set.metadata.namespace ?? "";
  const claimName = `${template.metadata.name}-${set.metadata.name}-${ordinal}`;
  if (!cluster.get("persistentvolumeclaims", namespace, claimName)) {
    const { annotations } = template.metadata;
    cluster.create("persistentvolumeclaims", namespace, {
      metadata: {
        name: claimName,
        labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
        ...(annotations ? { annotations } : {}),
      },
      spec: template.spec,
    });
  }
  return { name: template.metadata.name, persistentVolumeClaim: { claimName } };
}

function report(cluster: Cluster, set: StatefulSet): void {
  const live = cluster.get<StatefulSet>("statefulsets.apps", set.metadata.namespace ?? "", set.metadata.name);
  if (!live) return;
  const pods = cluster.owned<Pod>(live, "pods").filter((pod) => !pod.metadata.deletionTimestamp);
  const update = revisionName(live);
  const updated = pods.filter((pod) => pod.metadata.labels?.[hashLabel] === update);
  const ready = pods.filter(isReady).length;
  const done = updated.length === live.spec.replicas && pods.length === live.spec.replicas && ready === pods.length;
  const known = live.status.currentRevision;
  const current = done || typeof known !== "string" ? update : known;
  const status: Dict = {
    observedGeneration: live.metadata.generation,
    replicas: pods.length,
    readyReplicas: some(ready),
    availableReplicas: ready,
    currentReplicas: some(pods.filter((pod) => pod.metadata.labels?.[hashLabel] === current).length),
    updatedReplicas: some(updated.length),
    currentRevision: current,
    updateRevision: update,
    collisionCount: 0,
  };
  if (!equal(status, live.status)) cluster.writeStatus("statefulsets.apps", live, status);
}
