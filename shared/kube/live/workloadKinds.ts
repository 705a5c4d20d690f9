import type { KindRef, ObjectRef } from "../client/ClusterClient.ts";
import { apiGroup, kindKey } from "../objectKey.ts";

/** A workload or custom object of a manifest. */
export interface ManifestWorkload extends ObjectRef {
  /** A Job that the cluster removes some time after its end: it has ended well when it is gone. */
  expires?: boolean | undefined;
}

/** Kinds that pods come of, and the pod itself. */
const podKinds = new Set([
  "Pod",
  "ReplicationController",
  "Deployment.apps",
  "StatefulSet.apps",
  "DaemonSet.apps",
  "ReplicaSet.apps",
  "Job.batch",
  "CronJob.batch",
  "CloneSet.apps.kruise.io",
]);

/** Whether a pod can come of this kind (contract P 15, first row). */
export function bringsPods(kind: KindRef): boolean {
  return podKinds.has(kindKey(kind));
}

export function isCronJobKind(kind: KindRef): boolean {
  return kindKey(kind) === "CronJob.batch";
}

/** Whether Kubernetes itself brings the kind: custom kinds have a group with a domain that is not its own. */
export function isBuiltIn({ apiVersion }: KindRef): boolean {
  const group = apiGroup(apiVersion);
  return !group.includes(".") || group.endsWith(".k8s.io");
}

/** Kinds whose live objects a status needs: workloads, custom objects, and the pods themselves. */
export function statusKinds(kinds: readonly KindRef[]): KindRef[] {
  const needed = kinds.filter((kind) => bringsPods(kind) || !isBuiltIn(kind));
  return [...needed, { apiVersion: "v1", kind: "Pod" }];
}
