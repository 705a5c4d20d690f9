/** How a portal listens. HTTPS is passed on as it comes: the service itself has the certificate. */
export const portalProtocols = ["HTTP", "HTTPS", "GRPC", "TCP"] as const;

/** A host and port outside of the mesh at which a service can be called (contract P 9.5). */
export interface PortalServer {
  host: string;
  port: number;
  protocol: (typeof portalProtocols)[number];
}

export const maxPortalServers = 20;
export const maxPortals = 20;

/** A DNS name in lower case, also `*.` before one, or `*` alone. */
export const portalHost = /^(\*|(\*\.)?[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*)$/;

/** Protocols that one listener understands. */
const families: Readonly<Record<string, string>> = { HTTP2: "HTTP", GRPC: "HTTP", "GRPC-WEB": "HTTP", TLS: "HTTPS" };
const familyOf = (protocol: string) => families[protocol.toUpperCase()] ?? protocol.toUpperCase();

/** Why a server cannot listen beside others: a host and port are one's alone, and so is a port without hosts. */
export function portalClash(
  server: PortalServer,
  others: readonly { host: string; port: number; protocol: string }[],
): string | undefined {
  const { host, port, protocol } = server;
  const atPort = others.filter((other) => other.port === port);
  const different = atPort.find((other) => familyOf(other.protocol) !== familyOf(protocol));
  if (different !== undefined)
    return `port ${port} listens for ${different.protocol} at host ${different.host}, and cannot listen for ${protocol}`;
  // A connection that names no host is told from others by its port alone.
  if (atPort.some((other) => other.host === host || protocol === "TCP")) return `host ${host} at port ${port} is taken`;
  return undefined;
}
