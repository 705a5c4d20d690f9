import { classifyAddress } from "../settings/addressClass.ts";
import type { OutboundPolicy } from "../settings/outboundPolicy.ts";
import { OutboundRefused } from "./outboundErrors.ts";

export type Scheme = "http:" | "https:";

/**
 * Checks one resolved address of a host against the policy (decisions 5.8).
 * @returns why it is refused, or undefined when it may be reached
 */
export function checkAddress(
  policy: OutboundPolicy,
  target: { host: string; address: string; scheme: Scheme },
): OutboundRefused | undefined {
  const { host, address, scheme } = target;
  const shown = host === address ? host : `${host} (${address})`;
  const found = classifyAddress(address);
  if (found.kind === "refused")
    return new OutboundRefused(shown, `${found.description} is never reached`, "use the service's own address");
  const allowed = policy.allowsAddress(address) || policy.allowsName(host);
  if (found.kind === "private" && !allowed)
    return new OutboundRefused(
      shown,
      `${found.description} is not allowed`,
      "use a public address, or let the operator add it to SLIPWAY_OUTBOUND_ALLOW",
    );
  if (scheme === "http:" && !allowed)
    return new OutboundRefused(
      shown,
      "http is only allowed to addresses the operator named",
      "use https, or let the operator add it to SLIPWAY_OUTBOUND_ALLOW",
    );
  return undefined;
}
