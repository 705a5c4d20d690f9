import { log } from "../../base/settings/log.ts";
import { ConditionFailed, type Item, TransactionContended } from "../../base/store/tableClient.ts";
import {
  ClusterAddressRefused,
  ClusterAnswerUnreadable,
  ClusterCertificateInvalid,
  ClusterCredentialsInvalid,
  type ClusterError,
  ClusterRefused,
  ClusterUnreachable,
} from "../client/errors.ts";
import { describeClusterError } from "./describeClusterError.ts";
import { type ClusterRecord, findCluster, setClusterStatus } from "./store/clusters.ts";

/**
 * Keeps how the last use of a cluster went, for the list (decisions 5.2). Writes only when it changed; who holds the
 * record as `openCluster` read it passes it and saves a read. Never fails because of a simultaneous change.
 */
export async function reportClusterStatus(
  cluster: string | Item<ClusterRecord>,
  status: "normal" | "abnormal",
  message = "",
): Promise<void> {
  const record = typeof cluster === "string" ? await findCluster(cluster) : cluster;
  if (record === undefined || record.clusterType === "agent" || record.status === status) return;
  try {
    await setClusterStatus(record, status, status === "normal" ? "" : message.slice(0, 500));
    log.info("cluster status changed", { clusterId: record.clusterId, status });
  } catch (error) {
    // A change that was made meanwhile is newer; the next use reports again.
    if (!(error instanceof ConditionFailed || error instanceof TransactionContended)) throw error;
  }
}

/**
 * Uses a cluster and keeps how it went: `abnormal` when it could not be reached or refuses our credentials, `normal`
 * otherwise, for what was asked in vain says nothing about the cluster.
 */
export async function reportClusterUse<T>(record: Item<ClusterRecord>, use: () => Promise<T>): Promise<T> {
  try {
    const result = await use();
    await reportClusterStatus(record, "normal");
    return result;
  } catch (error) {
    if (isUnusable(error)) await reportClusterStatus(record, "abnormal", describeClusterError(error));
    throw error;
  }
}

function isUnusable(error: unknown): error is ClusterError {
  if (error instanceof ClusterRefused) return error.status === 401;
  return unusable.some((type) => error instanceof type);
}

const unusable = [
  ClusterUnreachable,
  ClusterCertificateInvalid,
  ClusterAddressRefused,
  ClusterCredentialsInvalid,
  ClusterAnswerUnreadable,
];
