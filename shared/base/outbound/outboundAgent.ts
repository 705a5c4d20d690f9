import { Agent as HttpAgent, type AgentOptions as HttpAgentOptions } from "node:http";
import { Agent as HttpsAgent, type AgentOptions as HttpsAgentOptions } from "node:https";
import { isIP } from "node:net";
import type { OutboundPolicy } from "../settings/outboundPolicy.ts";
import { checkAddress, type Scheme } from "./checkAddress.ts";
import { pinnedLookup, type Resolve } from "./pinnedLookup.ts";

/** `unchecked` is for the operator's own addresses: KUBECONFIG, the sandbox, the local registry (decisions 5.8). */
export type OutboundRule = OutboundPolicy | "unchecked";

/** TLS of one peer: authority, client certificate and name, as Node takes them. */
export type TlsOptions = Pick<HttpsAgentOptions, "ca" | "cert" | "key" | "rejectUnauthorized" | "servername">;

/**
 * An agent with kept-alive connections whose every socket goes to a checked address.
 * A refused address ends the request with `OutboundRefused` before anything is sent.
 */
export function outboundAgent(
  rule: OutboundRule,
  scheme: Scheme,
  tls: TlsOptions = {},
  resolve?: Resolve,
): HttpAgent | HttpsAgent {
  const keep: HttpAgentOptions = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 64, scheduling: "lifo" };
  const lookup = rule === "unchecked" ? {} : { lookup: pinnedLookup(rule, scheme, resolve) };
  const agent =
    scheme === "https:" ? new HttpsAgent({ ...keep, ...tls, ...lookup }) : new HttpAgent({ ...keep, ...lookup });
  if (rule === "unchecked") return agent;
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    // Node asks no lookup for a literal address, so it is checked here.
    const host = (options.host ?? "").replace(/^\[|\]$/g, "");
    const problem = isIP(host) === 0 ? undefined : checkAddress(rule, { host, address: host, scheme });
    if (problem !== undefined) throw problem;
    return connect(options, callback);
  };
  return agent;
}
