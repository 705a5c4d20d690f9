/**
 * A resource quantity in the canonical form the API server writes: `1000m` is `1`, `0.5` is `500m`, `1024Mi` is `1Gi`.
 * What is no quantity is returned as it is.
 */
export function canonicalQuantity(input: string): string {
  const match = /^([+-]?)(\d+)?(?:\.(\d+))?(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/.exec(input);
  if (!match || (match[2] === undefined && match[3] === undefined)) return input;
  const [, sign = "", whole = "0", fraction = "", suffix = ""] = match;
  if (/^[eE]/.test(suffix)) return input;
  const negative = sign === "-" ? "-" : "";
  const nano = toNano(whole, fraction, suffix);
  if (nano === 0n) return "0";
  return negative + (suffix.endsWith("i") ? binary(nano) : decimal(nano));
}

/** Whether the text is a quantity at all. */
export function isQuantity(input: string): boolean {
  return /^[+-]?(\d+\.?\d*|\.\d+)(m|u|n|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/.test(input);
}

const billion = 1_000_000_000n;
const decimals: [string, bigint][] = [
  ["E", 10n ** 27n],
  ["P", 10n ** 24n],
  ["T", 10n ** 21n],
  ["G", 10n ** 18n],
  ["M", 10n ** 15n],
  ["k", 10n ** 12n],
  ["", billion],
  ["m", 1_000_000n],
  ["u", 1_000n],
  ["n", 1n],
];
const binaries: [string, bigint][] = ["Ei", "Pi", "Ti", "Gi", "Mi", "Ki"].map((suffix, index) => [
  suffix,
  1024n ** BigInt(6 - index) * billion,
]);

function toNano(whole: string, fraction: string, suffix: string): bigint {
  const unit = [...decimals, ...binaries].find(([name]) => name === suffix)?.[1] ?? billion;
  const scale = 10n ** BigInt(fraction.length);
  const value = BigInt(whole + fraction) * unit;
  return (value + scale - 1n) / scale;
}

function decimal(nano: bigint): string {
  const [suffix, unit] = decimals.find(([, size]) => nano % size === 0n) ?? ["n", 1n];
  return `${nano / unit}${suffix}`;
}

function binary(nano: bigint): string {
  const found = binaries.find(([, size]) => nano % size === 0n);
  if (found) return `${nano / found[1]}${found[0]}`;
  return decimal(nano);
}
