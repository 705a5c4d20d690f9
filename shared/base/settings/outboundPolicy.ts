import { BlockList, isIP } from "node:net";

/** What the operator allowed besides public addresses: `SLIPWAY_OUTBOUND_ALLOW` (decisions 5.8). */
export interface OutboundPolicy {
  /** Whether an address lies in an allowed range. */
  allowsAddress(address: string): boolean;
  /** Whether a host name was allowed by name; its addresses may then be private. */
  allowsName(host: string): boolean;
}

const hostName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*$/;

/**
 * Reads a comma list of CIDR ranges, addresses and host names.
 * @throws RangeError that names every entry that is none of these
 */
export function parseOutboundPolicy(text: string): OutboundPolicy {
  const ranges = new BlockList();
  const names = new Set<string>();
  const wrong: string[] = [];
  for (const entry of text.split(",").map((part) => part.trim().toLowerCase())) {
    if (entry === "") continue;
    if (addRange(ranges, entry)) continue;
    if (hostName.test(entry) && !/^[0-9.]+$/.test(entry)) names.add(entry);
    else wrong.push(entry);
  }
  if (wrong.length > 0) {
    const list = wrong.map((entry) => `"${entry}"`).join(", ");
    throw new RangeError(
      `must be a comma list of CIDR ranges such as 10.0.0.0/8, IP addresses and host names: ${list} is none of them`,
    );
  }
  return {
    // A BlockList matches IPv4 rules against mapped IPv6 addresses too; those were refused before this is asked.
    allowsAddress: (address) => isIP(address) !== 0 && ranges.check(address, isIP(address) === 4 ? "ipv4" : "ipv6"),
    allowsName: (host) => names.has(host.toLowerCase().replace(/\.$/, "")),
  };
}

function addRange(ranges: BlockList, entry: string): boolean {
  const [network = "", prefix, ...rest] = entry.split("/");
  const family = isIP(network);
  if (family === 0 || network.includes("%") || rest.length > 0) return false;
  const widest = family === 4 ? 32 : 128;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return false;
  const bits = prefix === undefined ? widest : Number(prefix);
  if (bits > widest) return false;
  ranges.addSubnet(network, bits, family === 4 ? "ipv4" : "ipv6");
  return true;
}
