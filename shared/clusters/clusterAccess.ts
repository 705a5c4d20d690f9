import type { ClusterAccess } from "../clients/kubernetes/clusterAccess.ts";
import { type OutboundPolicy, parseOutboundPolicy } from "../clients/outbound/outboundPolicy.ts";
import type { SecretOwner } from "../clients/secrets/sealedSecret.ts";
import { config } from "../config.ts";
import type { EksSettings } from "../store/clusters.ts";

/** How a cluster that was registered by API is reached: under the operator's outbound policy (decisions 5.8). */
export function untrustedAccess(how: { kubeConfig: string } | { eks: EksSettings }): ClusterAccess {
  const policy = outboundPolicy();
  if ("eks" in how) return { kind: "eks", ...how.eks, policy };
  return { kind: "kubeconfig", text: how.kubeConfig, trusted: false, policy };
}

/** What a sealed kubeconfig is bound to. */
export function kubeConfigOwner(clusterId: string): SecretOwner {
  return { record: `cluster:${clusterId}`, field: "kube_config" };
}

let current: OutboundPolicy | undefined;

function outboundPolicy(): OutboundPolicy {
  const text = config().SLIPWAY_OUTBOUND_ALLOW;
  if (current?.text !== text) current = parseOutboundPolicy(text);
  return current;
}
