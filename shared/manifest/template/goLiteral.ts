import type { NumberConstant } from "./templateNodes.ts";

const INT64_MAX = (1n << 63n) - 1n;
const UINT64_MAX = (1n << 64n) - 1n;

/**
 * Reads a number of the template by the rules of Go's constants: `0x`, `0o`, `0b`, a leading 0 for octal, underscores
 * between digits, hexadecimal floats; a number with `.`, `e` or `p` is a float. Returns undefined for what is no number.
 */
export function parseNumber(text: string): NumberConstant | undefined {
  if (!underscoresFit(text)) return undefined;
  const plain = text.replaceAll("_", "");
  const integer = parseInteger(plain);
  // As in Go, a hexadecimal with a sign and the digit e counts as a float.
  const looksLikeFloat = /[.eEpP]/.test(plain) && !/^0[xX][^pP]*$/.test(plain);
  if (integer !== undefined) {
    if (looksLikeFloat) return Number(integer);
    return integer > INT64_MAX ? "overflow" : integer;
  }
  return looksLikeFloat ? parseFloating(plain) : undefined;
}

/** Underscores stand only between digits, or between a base prefix and a digit. */
function underscoresFit(text: string): boolean {
  const digits = text.replace(/^[+-]/, "").replace(/^0[xXoObB]/, "0");
  return !/^_|__|_$|_(?![0-9a-fA-F])|(?<![0-9a-fA-F])_/.test(digits);
}

function parseInteger(text: string): bigint | undefined {
  const digits = text.replace(/^[+-]/, "");
  const octal = /^0[0-7]+$/.test(digits);
  if (!octal && !/^(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(digits)) return undefined;
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits.toLowerCase());
  if (text.startsWith("-")) return value > INT64_MAX + 1n ? undefined : -value;
  // An unsigned integer beyond int64 is read, but cannot become an int; a signed one is refused at once.
  return value > (text.startsWith("+") ? INT64_MAX : UINT64_MAX) ? undefined : value;
}

function parseFloating(text: string): number | undefined {
  const hex = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(text);
  if (hex) {
    const [, sign, whole = "", fraction = "", exponent] = hex;
    if (whole + fraction === "") return undefined;
    const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
    if (!Number.isFinite(value)) return undefined;
    return sign === "-" ? -value : value;
  }
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const SIMPLE_ESCAPES = new Map([
  ["a", 7],
  ["b", 8],
  ["f", 12],
  ["n", 10],
  ["r", 13],
  ["t", 9],
  ["v", 11],
  ["\\", 92],
]);
const ESCAPE = /^\\(?:x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([abfnrtv\\'"]))/;

/** Reads a Go string literal with its quotes; undefined when an escape is wrong. Bytes that are no UTF-8 become U+FFFD. */
export function unquoteString(literal: string): string | undefined {
  if (literal.startsWith("`")) return literal.slice(1, -1).replaceAll("\r", "");
  const bytes: Uint8Array[] = [];
  const inner = literal.slice(1, -1);
  for (let at = 0; at < inner.length; ) {
    const backslash = inner.indexOf("\\", at);
    const end = backslash < 0 ? inner.length : backslash;
    bytes.push(Buffer.from(inner.slice(at, end)));
    if (backslash < 0) break;
    const unit = readEscape(inner.slice(backslash, backslash + 10), '"');
    if (!unit) return undefined;
    bytes.push(unit.isByte ? Uint8Array.of(unit.value) : Buffer.from(String.fromCodePoint(unit.value)));
    at = backslash + unit.length;
  }
  return Buffer.concat(bytes).toString();
}

/** Reads a Go character constant with its quotes as its code point; undefined when it is not one character. */
export function unquoteCharacter(literal: string): bigint | undefined {
  const inner = literal.slice(1, -1);
  if (inner.startsWith("\\")) {
    const unit = readEscape(inner, "'");
    return unit?.length === inner.length ? BigInt(unit.value) : undefined;
  }
  const code = inner.codePointAt(0);
  return code !== undefined && String.fromCodePoint(code) === inner ? BigInt(code) : undefined;
}

function readEscape(text: string, quote: string): { value: number; length: number; isByte: boolean } | undefined {
  const found = ESCAPE.exec(text);
  if (!found) return undefined;
  const [all, hex, octal, short, long, simple] = found;
  const length = all.length;
  if (simple !== undefined) {
    const value = SIMPLE_ESCAPES.get(simple) ?? (simple === quote ? quote.charCodeAt(0) : undefined);
    return value === undefined ? undefined : { value, length, isByte: false };
  }
  const isByte = hex !== undefined || octal !== undefined;
  const value = octal !== undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex ?? short ?? long ?? "", 16);
  const legal = isByte ? value <= 255 : value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  return legal ? { value, length, isByte } : undefined;
}
