/** The verbs of floating-point numbers that are supported; `b` and `x` are not. */
export type FloatVerb = "e" | "E" | "f" | "g" | "G";

/** Decimal digits without leading zeros and the place of the decimal point before them: 0.d1d2d3… × 10^point. */
interface Decimal {
  digits: string;
  point: number;
}

/**
 * Formats a float64 as Go's strconv.FormatFloat does. `precision` -1 is the shortest text that reads back the same;
 * otherwise the exact decimal value is rounded half to even.
 */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const isShortest = precision < 0;
  const exact = isShortest ? shortest(Math.abs(value)) : exactDecimal(Math.abs(value));
  const { length } = exact.digits;
  if (verb === "f") {
    const wanted = isShortest ? Math.max(length - exact.point, 0) : precision;
    return sign + plain(isShortest ? exact : round(exact, exact.point + wanted), wanted);
  }
  if (verb === "e" || verb === "E") {
    const wanted = isShortest ? Math.max(length - 1, 0) : precision;
    return sign + scientific(isShortest ? exact : round(exact, wanted + 1), wanted, verb);
  }
  return sign + general(exact, isShortest, precision, verb);
}

function general(exact: Decimal, isShortest: boolean, precision: number, verb: "g" | "G"): string {
  const wanted = isShortest ? exact.digits.length : Math.max(precision, 1);
  const decimal = isShortest ? exact : round(exact, wanted);
  const { length } = decimal.digits;
  const narrowed = wanted > length && length >= decimal.point ? length : wanted;
  const threshold = isShortest ? 6 : narrowed;
  const exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= threshold) {
    return scientific(decimal, Math.min(wanted, length) - 1, verb === "g" ? "e" : "E");
  }
  return plain(decimal, Math.max((wanted > decimal.point ? length : wanted) - decimal.point, 0));
}

function shortest(value: number): Decimal {
  if (value === 0) return { digits: "", point: 0 };
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
}

/** The exact decimal expansion of a finite float, by integer arithmetic. */
function exactDecimal(value: number): Decimal {
  if (value === 0) return { digits: "", point: 0 };
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const biased = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const exponent = Math.max(biased, 1) - 1075;
  const text =
    exponent >= 0 ? (mantissa << BigInt(exponent)).toString() : (mantissa * 5n ** BigInt(-exponent)).toString();
  const point = exponent >= 0 ? text.length : text.length + exponent;
  return { digits: text.replace(/0+$/, ""), point };
}

/** Keeps the first `count` digits, rounding half to even. */
function round(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal;
  if (count >= digits.length) return decimal;
  if (count < 0) return { digits: "", point: 0 };
  const next = digits.charCodeAt(count) - 48;
  const isHalf = next === 5 && count + 1 === digits.length;
  const isOdd = count > 0 && digits.charCodeAt(count - 1) % 2 === 1;
  const kept = digits.slice(0, count);
  if (!(isHalf ? isOdd : next >= 5)) return trimmed({ digits: kept, point });
  const raised = (BigInt(kept || "0") + 1n).toString().padStart(count, "0");
  return trimmed({ digits: raised, point: point + raised.length - count });
}

function trimmed({ digits, point }: Decimal): Decimal {
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? { digits: "", point: 0 } : { digits: kept, point };
}

function plain({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (places <= 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : "0".repeat(Math.min(-point, places)) + digits;
  return `${whole}.${fraction.slice(0, places).padEnd(places, "0")}`;
}

function scientific({ digits, point }: Decimal, places: number, letter: "e" | "E"): string {
  const exponent = digits === "" ? 0 : point - 1;
  const fraction = places > 0 ? `.${digits.slice(1, places + 1).padEnd(places, "0")}` : "";
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${digits.charAt(0) || "0"}${fraction}${letter}${exponent < 0 ? "-" : "+"}${size}`;
}
