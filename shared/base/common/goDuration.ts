const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
const seconds: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  // The micro sign and the Greek letter: Go reads both.
  "\u00b5s": 1e-6,
  "\u03bcs": 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};
/** Go counts nanoseconds in 63 bits. */
const maxSeconds = 2 ** 63 / 1e9;

/**
 * Reads a duration as Go writes it: `90s`, `1h30m`, `1.5h`, with a sign if need be.
 * @returns seconds; undefined for a text that is no duration
 */
export function goDuration(text: string): number | undefined {
  const sign = text.startsWith("-") ? -1 : 1;
  const unsigned = text.replace(/^[+-]/, "");
  if (unsigned === "0") return 0;
  let sum = 0;
  part.lastIndex = 0;
  while (part.lastIndex < unsigned.length) {
    const found = part.exec(unsigned);
    if (found === null) return undefined;
    sum += Number(found[1]) * (seconds[found[2] ?? ""] ?? Number.NaN);
  }
  return unsigned === "" || !(sum < maxSeconds) ? undefined : sign * sum;
}
