import { isDeepStrictEqual } from "node:util";
import { ownerLabel } from "../apply/marks.ts";
import type { CallOptions, ClusterClient, LiveObject } from "../client/ClusterClient.ts";
import type { MeshService } from "./familyObjects.ts";
import type { MeshKinds } from "./meshKinds.ts";
import { ingressGateway } from "./portalObjects.ts";

const namespace = "istio-system";
const prefix = "slipway-";

type LiveGateway = LiveObject & {
  spec?: {
    selector?: Record<string, string>;
    servers?: { port?: { number?: number; protocol?: string }; hosts?: string[] }[];
  };
};

export type IngressService = MeshService & {
  spec?: { externalIPs?: string[] };
  status?: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
};

/** The Service at which calls from outside reach the mesh; the first by name where there are several. */
export async function findIngressService(
  client: ClusterClient,
  call: CallOptions = {},
): Promise<IngressService | undefined> {
  const labelSelector = `istio=${ingressGateway.istio}`;
  const { items } = await client.list({ apiVersion: "v1", kind: "Service" }, { namespace, labelSelector, ...call });
  return items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

/** What the cluster's ingress gateway listens for, whatever configured it: one entry for each host. */
export interface Listening {
  gateway: LiveObject;
  host: string;
  port: number;
  protocol: string;
}

export async function listeningOn(
  client: ClusterClient,
  kinds: MeshKinds,
  call: CallOptions = {},
): Promise<Listening[]> {
  const { items } = await client.list(kinds.gateway, call);
  return (items as LiveGateway[])
    .filter(({ spec }) => spec?.selector?.istio === ingressGateway.istio)
    .flatMap((gateway) =>
      (gateway.spec?.servers ?? []).flatMap(({ port, hosts = [] }) =>
        // `namespace/host` limits where routes for the host may stand.
        hosts.map((host) => ({
          gateway,
          host: host.split("/").at(-1) ?? host,
          port: port?.number ?? 0,
          protocol: port?.protocol ?? "",
        })),
      ),
    );
}

/**
 * Opens the ports of all portals at the ingress gateway, and closes those that no portal needs; ports that others
 * opened stay. The ports are read again at the end, so that changes at the same time correct each other.
 * @param leaving objects whose Gateways no longer count
 */
export async function settleGatewayPorts(
  client: ClusterClient,
  kinds: MeshKinds,
  leaving: readonly LiveObject[],
): Promise<void> {
  const uids = new Set(leaving.map(({ metadata }) => metadata.uid));
  for (let round = 1; round <= 5; round++) {
    const [service, listening] = await Promise.all([findIngressService(client), listeningOn(client, kinds)]);
    if (service === undefined) return;
    const open = service.spec?.ports ?? [];
    const foreign = new Set(open.filter(({ name }) => name?.startsWith(prefix) !== true).map(({ port }) => port));
    const needed = listening.filter(
      ({ gateway: { metadata } }) => metadata.labels?.[ownerLabel] !== undefined && !uids.has(metadata.uid),
    );
    const wanted = [...new Set(needed.map(({ port }) => port))].filter((port) => !foreign.has(port)).sort(ascending);
    const now = open.filter(({ port }) => !foreign.has(port)).map(({ port }) => port);
    if (isDeepStrictEqual(now.sort(ascending), wanted)) return;
    const ports = wanted.map((port) => ({ name: `${prefix}${port}`, port, targetPort: port, protocol: "TCP" }));
    const { name } = service.metadata;
    await client.apply(
      { apiVersion: "v1", kind: "Service", metadata: { name, namespace }, spec: { ports } },
      { fieldManager: "slipway-portals", force: true },
    );
  }
}

const ascending = (a: number, b: number) => a - b;
