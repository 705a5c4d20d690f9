import { config, keptWithConfig } from "../../config.ts";
import { parseOutboundPolicy } from "../../outboundPolicy.ts";

/** What this process may reach besides public addresses: `SLIPWAY_OUTBOUND_ALLOW`, read once. */
export const operatorPolicy = keptWithConfig(() => parseOutboundPolicy(config().SLIPWAY_OUTBOUND_ALLOW));
