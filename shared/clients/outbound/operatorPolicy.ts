import { config } from "../../config.ts";
import { type OutboundPolicy, parseOutboundPolicy } from "./outboundPolicy.ts";

let current: OutboundPolicy | undefined;

/** What this process may reach besides public addresses: `SLIPWAY_OUTBOUND_ALLOW`, read once (decisions 5.8). */
export function operatorPolicy(): OutboundPolicy {
  const text = config().SLIPWAY_OUTBOUND_ALLOW;
  if (current?.text !== text) current = parseOutboundPolicy(text);
  return current;
}
