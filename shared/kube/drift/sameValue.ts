import { amountOf } from "../../manifest/amountOf.ts";
import { isRecord } from "../../manifest/schema/kubeObject.ts";

/**
 * Whether a cluster may store `applied` as `live`: the same value, another spelling of the same quantity, or nothing
 * for a value that is empty. With `subset`, maps may hold more than was applied, as they do after defaulting.
 */
export function sameValue(applied: unknown, live: unknown, options: { subset?: boolean } = {}): boolean {
  if (applied === live) return true;
  if (isEmpty(applied) && (live === undefined || live === null || isEmpty(live))) return true;
  if (Array.isArray(applied))
    return (
      Array.isArray(live) &&
      applied.length === live.length &&
      applied.every((item, at) => sameValue(item, live[at], options))
    );
  if (isRecord(applied)) {
    if (!isRecord(live)) return false;
    const extra = options.subset === true ? [] : Object.keys(live).filter((key) => !Object.hasOwn(applied, key));
    return (
      extra.length === 0 &&
      Object.entries(applied).every(([key, value]) => sameValue(value, fieldOf(live, key), options))
    );
  }
  if (typeof applied === "bigint" || typeof live === "bigint") return sameInteger(applied, live);
  const [a, b] = [amountOf(applied), amountOf(live)];
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(a) * 1e-12;
}

/** Digit by digit, or as a field that holds a float64 shows the integer. */
function sameInteger(applied: unknown, live: unknown): boolean {
  const [a, b] = [String(applied), String(live)];
  return a === b || (/^-?\d+$/.test(a) && String(Number(a)) === b);
}

/** A field of a value that may be anything; names such as `constructor` are ordinary. */
export function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** What a server drops: it stores no difference between these and nothing. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
