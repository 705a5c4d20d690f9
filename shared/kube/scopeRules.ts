import type { KubeObject } from "../manifest/schema/kubeObject.ts";
import type { ObjectRef } from "./client/ClusterClient.ts";
import { describe } from "./client/objectRef.ts";
import { kindKey } from "./objectKey.ts";
import { anyKind } from "./rules/anyKind.ts";

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

/** Cluster-scoped kinds that the boundary of a project may name beside them (decisions 20.7). */
export const boundaryKinds: readonly string[] = [
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "APIService",
  "CSIDriver",
  "RuntimeClass",
  "VolumeAttributesClass",
  "FlowSchema",
  "PriorityLevelConfiguration",
  "DeviceClass",
  "GatewayClass",
  "ClusterIssuer",
];

const roleKinds = new Set(["Role.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io"]);

/** Whether an object is a role or a binding in `kube-system`, which charts of infrastructure have (decisions 20.7). */
export function isSystemRole({ apiVersion, kind, metadata }: KubeObject): boolean {
  return metadata.namespace === "kube-system" && roleKinds.has(kindKey({ apiVersion, kind }));
}

/** Why an object that belongs to no namespace may not be applied (decisions 5.7); undefined when it may. */
export function clusterScopeProblem(
  ref: ObjectRef,
  allowed: readonly string[] = defaultClusterKinds,
): string | undefined {
  if (ref.kind === "Namespace")
    return `Namespace "${ref.name}" belongs to the whole cluster: a namespace is made and deleted with its environment, and no manifest may hold one`;
  if (allowed.includes(anyKind) || allowed.includes(ref.kind)) return undefined;
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
