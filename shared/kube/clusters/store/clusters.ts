import type { SealedSecret } from "../../../base/aws/secrets/sealedSecret.ts";
import { mustHaveVersion } from "../../../base/store/conditions.ts";
import { keys, lists } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, remove, replace, update, type Write } from "../../../base/store/writes.ts";
import { countOverview } from "../../../reports/statistics/store/overview.ts";

/** Contract D 6.1. `abnormal`: the last use failed; `pending`: an agent that has not connected yet. */
export type ClusterStatus = "normal" | "pending" | "abnormal" | "disconnected";

/** How an EKS cluster is reached (decisions 5.2); nothing of it is a credential. */
export interface EksSettings {
  region: string;
  clusterName: string;
  roleArn: string;
  externalId: string;
}

/** What lists show of a cluster (contract D 6.1). */
export interface ClusterSummary {
  clusterId: string;
  name: string;
  clusterType: "agent" | "kubeconfig";
  /** 0 to 7 of contract D 6.1. */
  provider: number;
  production: boolean;
  description: string;
  createdBy: string;
  /** Unix seconds. */
  createdTime: number;
  local: boolean;
  status: ClusterStatus;
  /** Why it is abnormal; empty otherwise. */
  statusMessage: string;
  /** Project keys, or `<all_projects>`; empty: none. */
  projectNames: readonly string[];
}

export const strategyKinds = ["normal", "required", "preferred"] as const;

/** How jobs may be placed on the nodes of a cluster (decisions 7.7). */
export interface SchedulingStrategy {
  strategyId: string;
  /** Unique in its cluster. */
  name: string;
  /** Whether nodes with the labels are asked for, wished for, or neither. */
  strategy: (typeof strategyKinds)[number];
  /** `key=value` or `key:value`, as given. */
  nodeLabels: readonly string[];
  /** YAML list as in a pod, as given; empty: none. */
  tolerations: string;
  /** Exactly one of a cluster is. */
  isDefault: boolean;
}

export interface ClusterRecord extends ClusterSummary {
  /** Sealed for `{ record: "cluster:<id>", field: "kube_config" }`; absent for agents and EKS clusters. */
  kubeConfig?: SealedSecret;
  /** The operator's own cluster: its kubeconfig may name programs and private addresses (decisions 5.1). */
  trusted?: true;
  eks?: EksSettings;
  /** Absent until one is added; read them by `strategiesOf`. */
  strategies?: readonly SchedulingStrategy[];
}

/** The cluster that the installation itself names (contract D 6.1, decisions 5.2). */
export const localClusterId = "0123456789abcdef12345678";
export const allProjects = "<all_projects>";

export function findCluster(
  id: string,
  options: { consistent?: boolean } = {},
): Promise<Item<ClusterRecord> | undefined> {
  return table().get<ClusterRecord>(keys.cluster(id), options);
}

export async function findClusterByName(name: string): Promise<Item<ClusterRecord> | undefined> {
  const pointer = await table().get<{ clusterId: string }>(keys.clusterName(name));
  return pointer && findCluster(pointer.clusterId);
}

/** All clusters by name. */
export async function listClusters(): Promise<ClusterSummary[]> {
  const items = await table().query<{ summary: ClusterSummary }>({ index: "list", pk: lists.clusters });
  return items.map(({ summary }) => summary);
}

/** @throws ConditionFailed "cluster name" when it is taken */
export async function createCluster(record: ClusterRecord): Promise<void> {
  await table().write(create(itemOf(record)), takeName(record), countOverview("clusters", 1));
}

/** @throws ConditionFailed "cluster name" when the new one is taken, others when the record was changed since it was read */
export async function changeCluster(
  before: Item<ClusterRecord>,
  changes: Partial<Omit<ClusterRecord, "clusterId">>,
): Promise<void> {
  const { pk, sk, version, ...content } = before;
  const after: ClusterRecord = { ...content, ...changes };
  const renamed = after.name !== before.name;
  await table().write(
    replace(itemOf(after), version),
    ...(renamed ? [takeName(after), remove(keys.clusterName(before.name))] : []),
  );
}

/** Notes how the last use went; harmless when the record was changed or removed meanwhile. */
export async function setClusterStatus(
  before: Item<ClusterRecord>,
  status: ClusterStatus,
  statusMessage: string,
): Promise<void> {
  const summary = summaryOf({ ...before, status, statusMessage });
  await table().write(
    update(
      keys.cluster(before.clusterId),
      { set: { status, statusMessage, summary } },
      mustHaveVersion(before.version),
    ),
  );
}

/** @throws ConditionFailed when the record was changed since it was read */
export async function deleteCluster(record: Item<ClusterRecord>): Promise<void> {
  await table().write(
    remove(keys.cluster(record.clusterId), mustHaveVersion(record.version)),
    remove(keys.clusterName(record.name)),
    countOverview("clusters", -1),
  );
}

function itemOf(record: ClusterRecord) {
  return {
    ...record,
    ...keys.cluster(record.clusterId),
    type: "cluster",
    listPk: lists.clusters,
    listSk: record.name,
    summary: summaryOf(record),
  };
}

function takeName({ clusterId, name }: ClusterRecord): Write {
  return named("cluster name", create({ ...keys.clusterName(name), type: "cluster-name", clusterId }));
}

/** Field by field, so that nothing sealed reaches the index. */
function summaryOf(record: ClusterRecord): ClusterSummary {
  return {
    clusterId: record.clusterId,
    name: record.name,
    clusterType: record.clusterType,
    provider: record.provider,
    production: record.production,
    description: record.description,
    createdBy: record.createdBy,
    createdTime: record.createdTime,
    local: record.local,
    status: record.status,
    statusMessage: record.statusMessage,
    projectNames: record.projectNames,
  };
}
