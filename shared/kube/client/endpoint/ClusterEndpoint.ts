import type { OutboundRule, TlsOptions } from "../../../base/outbound/outboundAgent.ts";

/** A cluster that can be talked to: where it is and how to prove who we are. */
export interface ClusterEndpoint {
  server: URL;
  tls: TlsOptions;
  /** Headers that authenticate, asked before each request so that short-lived tokens stay fresh. */
  authorize(): Promise<Record<string, string>>;
  rule: OutboundRule;
}
