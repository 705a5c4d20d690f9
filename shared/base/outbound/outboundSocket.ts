import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { checkAddress } from "./checkAddress.ts";
import type { OutboundRule, TlsOptions } from "./outboundAgent.ts";
import { pinnedLookup } from "./pinnedLookup.ts";

/**
 * A TLS connection to a checked address, with the protocol negotiated.
 * @param protocols in the order of preference, e.g. `["h2", "http/1.1"]`
 * @throws OutboundRefused for an address that is not allowed; Node's error when the connection fails
 */
export function outboundSocket(
  rule: OutboundRule,
  server: URL,
  tls: TlsOptions,
  protocols: string[],
  signal: AbortSignal,
): Promise<TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const literal = isIP(host) !== 0;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    if (literal && rule !== "unchecked") {
      const problem = checkAddress(rule, { host, address: host, scheme: "https:" });
      if (problem !== undefined) return reject(problem);
    }
    const socket = connect({
      host,
      port: Number(server.port || 443),
      ALPNProtocols: protocols,
      // Names of certificates are checked against the host; a server name indication may not be an address.
      ...(literal ? {} : { servername: host }),
      ...(rule === "unchecked" ? {} : { lookup: pinnedLookup(rule, "https:") }),
      ...tls,
    });
    const abort = () => socket.destroy(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    socket.once("error", reject);
    socket.once("close", () => signal.removeEventListener("abort", abort));
    socket.once("secureConnect", () => {
      signal.removeEventListener("abort", abort);
      socket.off("error", reject);
      socket.setNoDelay(true);
      socket.setKeepAlive(true, 30_000);
      resolve(socket);
    });
  });
}
