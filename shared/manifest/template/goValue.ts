/** A byte of a string, Go's uint8: what `index "abc" 0` gives. */
export class GoByte {
  readonly value: bigint;

  constructor(value: number) {
    this.value = BigInt(value);
  }
}

/**
 * A value as Go's text/template sees it. `undefined` is no value at all (a missing key), `null` a nil found in a map or
 * list; bigint is Go's int, number its float64. Lists and maps hold data as it came; `fromData` converts what is taken out.
 */
export type GoValue =
  | undefined
  | null
  | boolean
  | bigint
  | number
  | string
  | GoByte
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/**
 * Takes a value of JSON or YAML data into Go's types: integers that JavaScript holds exactly are int, all other numbers
 * float64 (so 2.0, which the data cannot tell from 2, is an int).
 */
export function fromData(value: unknown): GoValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value;
  if (value instanceof GoByte || Array.isArray(value) || isRecord(value)) return value;
  throw new TypeError(`a template cannot use a ${typeof value}`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

export function isList(value: GoValue): value is readonly unknown[] {
  return Array.isArray(value);
}

export function isMap(value: GoValue): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof GoByte);
}

/** Whether a value is neither empty nor zero, as `if`, `and`, `or`, `not` ask it. */
export function isTrue(value: GoValue): boolean {
  if (value instanceof GoByte) return value.value !== 0n;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return !isEmptyMap(value);
  // NaN is not zero for Go.
  return Boolean(value) || (typeof value === "number" && Number.isNaN(value));
}

function isEmptyMap(map: Readonly<Record<string, unknown>>): boolean {
  for (const key in map) if (Object.hasOwn(map, key)) return false;
  return true;
}

/** The name of a value's type in Go. */
export function typeName(value: GoValue): string {
  if (value === undefined || value === null) return "<nil>";
  if (value instanceof GoByte) return "uint8";
  if (isList(value)) return "[]interface {}";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "float64";
    case "string":
      return "string";
    default:
      return "map[string]interface {}";
  }
}

/** Orders strings as Go does, by their UTF-8 bytes, which is the order of code points. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    // Halves of a surrogate pair stand for code points above all others.
    if (a !== b) return isSurrogate(a) === isSurrogate(b) ? a - b : isSurrogate(a) ? 1 : -1;
  }
  return left.length - right.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The keys of a map in Go's order. */
export function sortedKeys(map: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(map).sort(compareStrings);
}
