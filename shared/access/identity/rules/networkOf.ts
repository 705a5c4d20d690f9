const groups = 8;
/** A customer of a provider has at least this much to choose addresses from (RFC 6177). */
const networkGroups = 4;

/**
 * Whose failures count together: an IPv4 address as it is, of an IPv6 address the first 64 bits, `2001:db8:0:1::/64`.
 * @param address as the gateway saw it, with or without a zone; IPv4 may be mapped into IPv6
 */
export function networkOf(address: string): string {
  const [plain = ""] = address.split("%");
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain) ?? [];
  if (mapped !== undefined) return mapped;
  if (!plain.includes(":")) return address;
  const [head = "", tail] = plain.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : groups - before.length - after.length;
  const all = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => "0"), ...after];
  const network = all.slice(0, networkGroups).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}
