import type { SecretOwner } from "../../base/aws/secrets/sealedSecret.ts";
import { operatorPolicy } from "../../base/outbound/operatorPolicy.ts";
import type { ClusterAccess } from "../client/clusterAccess.ts";
import type { EksSettings } from "./store/clusters.ts";

/** How a cluster that was registered by API is reached: under the operator's outbound policy (decisions 5.8). */
export function untrustedAccess(how: { kubeConfig: string } | { eks: EksSettings }): ClusterAccess {
  const policy = operatorPolicy();
  if ("eks" in how) return { kind: "eks", ...how.eks, policy };
  return { kind: "kubeconfig", text: how.kubeConfig, trusted: false, policy };
}

/** What a sealed kubeconfig is bound to. */
export function kubeConfigOwner(clusterId: string): SecretOwner {
  return { record: `cluster:${clusterId}`, field: "kube_config" };
}
