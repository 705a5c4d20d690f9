import { kindKey } from "../objectKey.ts";
import type { PreparedObject } from "./prepareObjects.ts";

/** Kinds in the order they are applied; what is not named comes last (contract P 16.2, row "order"). */
const order: readonly (readonly string[])[] = [
  [
    "CustomResourceDefinition.apiextensions.k8s.io",
    "PriorityClass.scheduling.k8s.io",
    "StorageClass.storage.k8s.io",
    "IngressClass.networking.k8s.io",
  ],
  [
    "ServiceAccount",
    "Role.rbac.authorization.k8s.io",
    "RoleBinding.rbac.authorization.k8s.io",
    "ClusterRole.rbac.authorization.k8s.io",
    "ClusterRoleBinding.rbac.authorization.k8s.io",
    "ConfigMap",
    "Secret",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "ResourceQuota",
    "LimitRange",
  ],
  [
    "Pod",
    "ReplicationController",
    "ReplicaSet.apps",
    "Deployment.apps",
    "StatefulSet.apps",
    "DaemonSet.apps",
    "Job.batch",
    "CronJob.batch",
    "CloneSet.apps.kruise.io",
  ],
];

const waveOf = new Map(order.flatMap((kinds, wave) => kinds.map((kind) => [kind, wave] as const)));

/** An object's dependencies are in an earlier wave; within a wave the order is free. */
export function applyWaves(objects: readonly PreparedObject[]): PreparedObject[][] {
  const waves: PreparedObject[][] = [...order.map(() => []), []];
  for (const one of objects) waves[waveNumber(one.ref)]?.push(one);
  return waves.filter((wave) => wave.length > 0);
}

/** The position of a kind in the order; the last number for kinds without a position of their own. */
export function waveNumber(ref: { apiVersion: string; kind: string }): number {
  return waveOf.get(kindKey(ref)) ?? order.length;
}
