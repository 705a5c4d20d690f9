import type { OutboundRule } from "../../../base/outbound/outboundAgent.ts";
import { ClusterCredentialsInvalid } from "../errors.ts";
import type { ClusterEndpoint } from "./ClusterEndpoint.ts";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "./kubeconfigSchema.ts";

/** Cluster and user of the current context of a checked kubeconfig. */
export function kubeconfigEndpoint(config: Kubeconfig, rule: OutboundRule): ClusterEndpoint {
  const { cluster, user } = currentEntries(config);
  const ca = decode(cluster["certificate-authority-data"]);
  const cert = decode(user["client-certificate-data"]);
  const key = decode(user["client-key-data"]);
  const headers = authorization(user);
  return {
    server: new URL(cluster.server),
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(cluster["tls-server-name"] !== undefined && { servername: cluster["tls-server-name"] }),
      ...(cluster["insecure-skip-tls-verify"] === true && { rejectUnauthorized: false }),
    },
    authorize: async () => headers,
    rule,
  };
}

function currentEntries(config: Kubeconfig): { cluster: KubeconfigCluster; user: KubeconfigUser } {
  const context = config.contexts.find(({ name }) => name === config["current-context"])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  if (cluster === undefined)
    throw new ClusterCredentialsInvalid("kubeconfig: current-context names no cluster of this file");
  return { cluster, user: config.users.find(({ name }) => name === context?.user)?.user ?? {} };
}

function authorization(user: KubeconfigUser): Record<string, string> {
  if (user.token !== undefined) return { authorization: `Bearer ${user.token}` };
  if (user.username === undefined) return {};
  const basic = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
  return { authorization: `Basic ${basic}` };
}

function decode(base64: string | undefined): Buffer | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, "base64");
}
