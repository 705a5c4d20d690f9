import { config, keptWithConfig } from "../settings/config.ts";
import { parseOutboundPolicy } from "../settings/outboundPolicy.ts";

/** What this process may reach besides public addresses: `SLIPWAY_OUTBOUND_ALLOW`, read once. */
export const operatorPolicy = keptWithConfig(() => parseOutboundPolicy(config().SLIPWAY_OUTBOUND_ALLOW));
