import { type SealedSecret, seal } from "../../../shared/aws/secrets/sealedSecret.ts";
import { checkConnection } from "../../../shared/clusters/checkConnection.ts";
import { kubeConfigOwner, untrustedAccess } from "../../../shared/clusters/clusterAccess.ts";
import { describeClusterError } from "../../../shared/clusters/describeClusterError.ts";
import { badRequest } from "../../../shared/errors/apiError.ts";
import { checkKubeconfig } from "../../../shared/kube/client/checkKubeconfig.ts";
import type { ClusterAccess } from "../../../shared/kube/client/clusterAccess.ts";
import { ClusterError } from "../../../shared/kube/client/errors.ts";

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
