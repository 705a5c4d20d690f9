import type { ObjectRef } from "./client/ClusterClient.ts";
import { describe } from "./client/objectRef.ts";

/** Cluster-scoped kinds that a manifest may hold unless `SLIPWAY_CLUSTER_SCOPED_KINDS` says otherwise (decisions 5.7). */
export const defaultClusterKinds: readonly string[] = [
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleBinding",
  "PersistentVolume",
  "StorageClass",
  "IngressClass",
  "PriorityClass",
];

/** Why an object that belongs to no namespace may not be applied (decisions 5.7); undefined when it may. */
export function clusterScopeProblem(
  ref: ObjectRef,
  allowed: readonly string[] = defaultClusterKinds,
): string | undefined {
  if (ref.kind === "Namespace")
    return `Namespace "${ref.name}" belongs to the whole cluster: a namespace is made and deleted with its environment, and no manifest may hold one`;
  if (allowed.includes(ref.kind)) return undefined;
  return `${describe({ kind: ref.kind, name: ref.name })} belongs to the whole cluster; allowed are ${allowed.join(", ")}`;
}

/** Reads `SLIPWAY_CLUSTER_SCOPED_KINDS`, a comma list that replaces the default. */
export function parseClusterKinds(text: string | undefined): readonly string[] {
  if (text === undefined) return defaultClusterKinds;
  return text
    .split(",")
    .map((kind) => kind.trim())
    .filter((kind) => kind !== "" && kind !== "Namespace");
}
