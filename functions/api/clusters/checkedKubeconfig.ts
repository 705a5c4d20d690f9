import { type SealedSecret, seal } from "../../../shared/base/aws/secrets/sealedSecret.ts";
import { badRequest } from "../../../shared/base/errors/apiError.ts";
import type { ClusterAccess } from "../../../shared/kube/client/clusterAccess.ts";
import { connect } from "../../../shared/kube/client/connect.ts";
import { checkKubeconfig } from "../../../shared/kube/client/endpoint/checkKubeconfig.ts";
import { ClusterError } from "../../../shared/kube/client/errors.ts";
import { kubeConfigOwner, untrustedAccess } from "../../../shared/kube/clusters/clusterAccess.ts";
import { describeClusterError } from "../../../shared/kube/clusters/describeClusterError.ts";

/** The answer must come well within the time that a request may take. */
const deadlineSeconds = 12;

/**
 * Proves that a cluster answers and that its credentials are taken, by listing its namespaces (contract D 6.3).
 * @throws ClusterError that tells why not
 */
async function checkConnection(access: ClusterAccess): Promise<void> {
  const client = connect(access, { deadlineSeconds, attemptSeconds: deadlineSeconds / 2 });
  try {
    await client.list({ apiVersion: "v1", kind: "Namespace" }, { metadataOnly: true });
  } finally {
    client.close();
  }
}

/**
 * Takes a kubeconfig only when it is harmless and its cluster answers (contract D 6.3, decisions 5.1).
 * @throws ApiError 400 naming every refused field, or why the cluster cannot be used
 */
export async function checkedKubeconfig(clusterId: string, text: string): Promise<SealedSecret> {
  const problems = checkKubeconfig(text);
  if (problems.length > 0)
    throw badRequest(
      problems.map(({ path, wrong, right }) => ({
        in: "body",
        path: path === "" ? "kube_config" : `kube_config.${path}`,
        problem: `${wrong}: ${right}`,
      })),
    );
  await requireConnection("kube_config", untrustedAccess({ kubeConfig: text }));
  return seal(text, kubeConfigOwner(clusterId));
}

/** @throws ApiError 400 that names the field and why the cluster cannot be used */
export async function requireConnection(field: "kube_config" | "eks", access: ClusterAccess): Promise<void> {
  try {
    await checkConnection(access);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw badRequest([{ in: "body", path: field, problem: describeClusterError(error) }]);
  }
}
