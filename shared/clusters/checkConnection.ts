import type { ClusterAccess } from "../kube/client/clusterAccess.ts";
import { connect } from "../kube/client/connect.ts";

/** The answer must come well within the time that a request may take. */
const deadlineSeconds = 12;

/**
 * Proves that a cluster answers and that its credentials are taken, by listing its namespaces (contract D 6.3).
 * @throws ClusterError that tells why not
 */
export async function checkConnection(access: ClusterAccess): Promise<void> {
  const client = connect(access, { deadlineSeconds, attemptSeconds: deadlineSeconds / 2 });
  try {
    await client.list({ apiVersion: "v1", kind: "Namespace" }, { metadataOnly: true });
  } finally {
    client.close();
  }
}
