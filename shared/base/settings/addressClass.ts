import { BlockList, isIP } from "node:net";

/** `public` may be reached by anybody, `private` when the operator allows it, `refused` never. */
export interface AddressClass {
  kind: "public" | "private" | "refused";
  /** What the address is, for a message: `a link-local address`. */
  description: string;
}

/** [range, description]; the first range that holds the address decides. */
type Range = readonly [cidr: string, description: string];

const refusedV4: Range[] = [
  ["0.0.0.0/8", "an unspecified address"],
  ["169.254.0.0/16", "a link-local address (instance metadata)"],
  ["100.100.100.200/32", "a cloud metadata address"],
  ["168.63.129.16/32", "a cloud metadata address"],
  ["192.0.0.192/32", "a cloud metadata address"],
  ["224.0.0.0/4", "a multicast address"],
  ["255.255.255.255/32", "the broadcast address"],
];

const privateV4: Range[] = [
  ["127.0.0.0/8", "a loopback address"],
  ["10.0.0.0/8", "a private address"],
  ["172.16.0.0/12", "a private address"],
  ["192.168.0.0/16", "a private address"],
  ["100.64.0.0/10", "a carrier-grade NAT address"],
  ["192.0.0.0/24", "a reserved address"],
  ["192.0.2.0/24", "a documentation address"],
  ["192.88.99.0/24", "a reserved address"],
  ["198.18.0.0/15", "a benchmarking address"],
  ["198.51.100.0/24", "a documentation address"],
  ["203.0.113.0/24", "a documentation address"],
  ["240.0.0.0/4", "a reserved address"],
];

const refusedV6: Range[] = [
  ["::ffff:0:0/96", "an IPv4 address written as IPv6"],
  ["::/128", "the unspecified address"],
  ["fe80::/10", "a link-local address"],
  ["fec0::/10", "a site-local address"],
  ["ff00::/8", "a multicast address"],
  ["fd00:ec2::254/128", "a cloud metadata address"],
  ["fd20:ce::254/128", "a cloud metadata address"],
  ["64:ff9b::/96", "an IPv4 address written as IPv6"],
  ["64:ff9b:1::/48", "an IPv4 address written as IPv6"],
  ["2002::/16", "an IPv4 address written as IPv6"],
  ["2001::/32", "an IPv4 address written as IPv6"],
];

const privateV6: Range[] = [
  ["::1/128", "a loopback address"],
  ["fc00::/7", "a private address"],
  ["2001:db8::/32", "a documentation address"],
  ["3fff::/20", "a documentation address"],
];

// The old IPv4-compatible form ::a.b.c.d is refused too, but ::1 has to be looked at before it.
const refusedLastV6: Range[] = [["::/96", "an IPv4 address written as IPv6"]];

const globalV6 = toBlockList("2000::/3");

function toBlockList(cidr: string): BlockList {
  const list = new BlockList();
  const [network = "", prefix = ""] = cidr.split("/");
  list.addSubnet(network, Number(prefix), isIP(network) === 4 ? "ipv4" : "ipv6");
  return list;
}

const compile = (kind: AddressClass["kind"], ranges: Range[]) =>
  ranges.map(([cidr, description]) => ({ list: toBlockList(cidr), class: { kind, description } }));

const v4 = [...compile("refused", refusedV4), ...compile("private", privateV4)];
const v6 = [...compile("refused", refusedV6), ...compile("private", privateV6), ...compile("refused", refusedLastV6)];

/**
 * Says what an IP address is (decisions 5.8), whatever way it is spelled.
 * @throws RangeError when the text is no IP address
 */
export function classifyAddress(address: string): AddressClass {
  const family = isIP(address);
  if (family === 0) throw new RangeError(`not an IP address: ${address}`);
  if (address.includes("%")) return { kind: "refused", description: "an address with a zone" };
  const type = family === 4 ? "ipv4" : "ipv6";
  for (const range of family === 4 ? v4 : v6) if (range.list.check(address, type)) return range.class;
  if (family === 4 || globalV6.check(address, type)) return { kind: "public", description: "a public address" };
  return { kind: "private", description: "an address outside the global range" };
}

/**
 * Why no request may ever be sent to a host, whatever the operator allows; undefined for a name, which is judged when
 * it is looked up.
 * @param hostname as `URL` has it: an IPv6 address is in brackets
 */
export function neverReached(hostname: string): string | undefined {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const found = isIP(host) === 0 ? undefined : classifyAddress(host);
  return found?.kind === "refused" ? `${host} is ${found.description}, which is never reached` : undefined;
}
