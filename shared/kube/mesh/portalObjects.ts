import type { KubeObject } from "../../manifest/schema/kubeObject.ts";
import type { MeshService } from "./familyObjects.ts";
import type { MeshKinds } from "./meshKinds.ts";
import type { WeightedRoute } from "./weightedRoutes.ts";

/** A host and port outside of the mesh. */
interface Server {
  host: string;
  port: number;
  protocol: string;
}

/** Where calls lead: those whose headers are so, or all others. */
export interface Leg {
  /** What each header has to be, as Istio's networking API says it. */
  headers?: Readonly<Record<string, object>>;
  to: readonly Stop[];
}

/** Pods of a Service. */
export interface Stop {
  routes: readonly WeightedRoute[];
  /** In a sub-environment it may have other ports than in the base. */
  service: MeshService;
}

export interface Portal {
  service: string;
  servers: readonly Server[];
  /** In the order in which they are asked. */
  legs: readonly Leg[];
  /** Where connections lead, which have no headers. */
  plain: Stop;
  /** The header that every call gets on its way in. */
  sets?: Record<string, string>;
  metadata: { namespace: string; labels: Record<string, string> };
}

/** Pods of Istio's ingress gateway have this label, and so has its Service. */
export const ingressGateway = { istio: "ingressgateway" } as const;

/**
 * What lets calls from outside in (contract P 9.5, decisions 11.13): the Gateway that listens, and the routes of what it
 * lets in. Rules of Istio's networking API: names of a Gateway's ports are unique in it; HTTPS without a certificate of the
 * gateway's own is passed through and routed by its SNI.
 */
export function portalObjects(kinds: MeshKinds, portal: Portal): KubeObject[] {
  const { service, servers, metadata } = portal;
  const name = `slipway-gateway-${service}`;
  const ports = [...new Set(servers.map(({ port }) => port))].map((port) => {
    const there = servers.filter((server) => server.port === port);
    return { port, protocol: there[0]?.protocol ?? "", hosts: there.map(({ host }) => host) };
  });
  const gateway = {
    ...kinds.gateway,
    metadata: { name, ...metadata },
    spec: {
      selector: ingressGateway,
      servers: ports.map(({ port, protocol, hosts }) => ({
        port: { number: port, name: `${protocol.toLowerCase()}-${port}`, protocol },
        hosts,
        ...(protocol === "HTTPS" && { tls: { mode: "PASSTHROUGH" } }),
      })),
    },
  };
  const of = (...protocols: string[]) => ports.filter(({ protocol }) => protocols.includes(protocol));
  const http = of("HTTP", "GRPC").flatMap(({ port }) => httpRoutes(portal, port));
  const tls = of("HTTPS").map(({ port, hosts }) => ({
    match: [{ port, sniHosts: hosts }],
    route: leadTo(portal.plain, port),
  }));
  const tcp = of("TCP").map(({ port }) => ({ match: [{ port }], route: leadTo(portal.plain, port) }));
  const routes = {
    ...kinds.virtualService,
    metadata: { name, ...metadata },
    spec: {
      hosts: [...new Set(servers.map(({ host }) => host))],
      gateways: [name],
      ...(http.length > 0 && { http }),
      ...(tls.length > 0 && { tls }),
      ...(tcp.length > 0 && { tcp }),
    },
  };
  return [gateway, routes];
}

function httpRoutes({ legs, sets }: Portal, port: number): object[] {
  return legs.map(({ headers, to }) => ({
    match: [{ port, ...(headers && { headers }) }],
    route: to.flatMap((stop) => leadTo(stop, port)),
    ...(sets !== undefined && { headers: { request: { set: sets } } }),
  }));
}

/** To the port of the Service that has the same number, else to its first one for connections. */
function leadTo({ routes, service: { spec } }: Stop, port: number): readonly object[] {
  const ports = (spec?.ports ?? []).filter(({ protocol = "TCP" }) => protocol === "TCP");
  const number = (ports.find((own) => own.port === port) ?? ports[0])?.port;
  return number === undefined ? routes : atPort(routes, number);
}

export function atPort(to: readonly WeightedRoute[], number: number): object[] {
  return to.map((one) => ({ ...one, destination: { ...one.destination, port: { number } } }));
}
