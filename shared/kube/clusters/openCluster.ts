import { unseal } from "../../base/aws/secrets/sealedSecret.ts";
import { keptWithConfig } from "../../base/settings/config.ts";
import type { Item } from "../../base/store/tableClient.ts";
import type { ClusterClient } from "../client/ClusterClient.ts";
import type { ClusterAccess } from "../client/clusterAccess.ts";
import { connect } from "../client/connect.ts";
import { TerminalClusterError } from "../client/errors.ts";
import { kubeConfigOwner, untrustedAccess } from "./clusterAccess.ts";
import { type ClusterRecord, findCluster } from "./store/clusters.ts";

export { describeClusterError } from "./describeClusterError.ts";

/** No cluster has this id. */
export class ClusterUnknown extends TerminalClusterError {}

/** The cluster is registered, but its agent has not connected. */
export class ClusterNotReady extends TerminalClusterError {}

export interface OpenCluster {
  record: Item<ClusterRecord>;
  client: ClusterClient;
}

/** One client a cluster in this process; `credentials` tells when the stored ones changed. */
const clients = keptWithConfig(() => new Map<string, { credentials: string; client: Promise<ClusterClient> }>());

/**
 * Reads a cluster's record and connects to it; nothing is sent to it yet.
 * @throws ClusterUnknown, ClusterNotReady; every use of the client throws its own `ClusterError`s
 */
export async function openCluster(clusterId: string): Promise<OpenCluster> {
  // The cheaper read may miss a record that was made in the last moment.
  const record = (await findCluster(clusterId, { consistent: false })) ?? (await findCluster(clusterId));
  if (record === undefined) {
    removeCachedCluster(clusterId);
    throw new ClusterUnknown(`cluster ${clusterId} does not exist`);
  }
  const credentials = credentialsMark(record);
  if (credentials === undefined)
    throw new ClusterNotReady(`cluster ${record.name} waits for its agent; agents are not supported yet`);
  const kept = clients().get(clusterId);
  if (kept?.credentials === credentials) return { record, client: await kept.client };
  removeCachedCluster(clusterId);
  const client = accessOf(record).then((access) => connect(access));
  clients().set(clusterId, { credentials, client });
  try {
    return { record, client: await client };
  } catch (error) {
    if (clients().get(clusterId)?.client === client) clients().delete(clusterId);
    throw error;
  }
}

/** Closes the kept client: calls under way fail, for the cluster was removed or got other credentials. */
export function removeCachedCluster(clusterId: string): void {
  const kept = clients().get(clusterId);
  clients().delete(clusterId);
  kept?.client.then((client) => client.close()).catch(() => {});
}

/** Every sealing has its own tag, so the tag identifies the text without unsealing it. */
function credentialsMark(record: ClusterRecord): string | undefined {
  return record.kubeConfig?.tag ?? (record.eks && JSON.stringify(record.eks));
}

async function accessOf(record: ClusterRecord): Promise<ClusterAccess> {
  const { clusterId, kubeConfig, eks, trusted } = record;
  if (eks !== undefined) return untrustedAccess({ eks });
  if (kubeConfig === undefined) throw new ClusterNotReady(`cluster ${record.name} has no credentials`);
  const text = await unseal(kubeConfig, kubeConfigOwner(clusterId));
  return trusted === true ? { kind: "kubeconfig", text, trusted } : untrustedAccess({ kubeConfig: text });
}
