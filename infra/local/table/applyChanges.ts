import type { Attributes } from "../../../shared/base/store/engine.ts";
import type { Key } from "../../../shared/base/store/keys/keys.ts";
import type { Changes } from "../../../shared/base/store/writes.ts";

/**
 * The item after an update, as DynamoDB makes it: one that is missing begins with its key, a number with 0, and a set that
 * loses its last member goes.
 * @throws Error when a number is added to what is none, or members to what is no set of texts
 */
export function applyChanges(before: Readonly<Attributes> | undefined, key: Key, changes: Changes): Attributes {
  const { set = {}, initial = {}, unset = [], add = {}, takeFrom = {} } = changes;
  const after: Attributes = { pk: key.pk, sk: key.sk, ...before };
  for (const [name, value] of Object.entries(set)) if (value !== undefined) after[name] = value;
  for (const [name, value] of Object.entries(initial))
    if (value !== undefined && after[name] === undefined) after[name] = value;
  for (const [name, amount] of Object.entries(add))
    if (amount !== undefined) after[name] = sum(name, after[name], amount);
  for (const [name, members] of Object.entries(takeFrom)) {
    if (members === undefined || after[name] === undefined) continue;
    const left = setOf(name, after[name]).difference(members);
    if (left.size > 0) after[name] = left;
    else delete after[name];
  }
  for (const name of unset) delete after[name];
  return after;
}

function sum(name: string, before: unknown, amount: number | ReadonlySet<string>): unknown {
  if (typeof amount === "object") return before === undefined ? new Set(amount) : setOf(name, before).union(amount);
  if (before === undefined) return amount;
  if (typeof before !== "number") throw new Error(`an update adds a number to ${name}, which is none`);
  return addDecimals(before, amount);
}

function setOf(name: string, value: unknown): Set<unknown> {
  if (value instanceof Set && [...value].every((member) => typeof member === "string")) return value;
  throw new Error(`an update changes members of ${name}, which is no set of texts`);
}

/** DynamoDB counts in decimals, in which 0.1 and 0.2 make 0.3. */
function addDecimals(a: number, b: number): number {
  const whole = a + b;
  if (Number.isInteger(a) && Number.isInteger(b)) return whole;
  const places = Math.max(decimalPlaces(a), decimalPlaces(b));
  return Number(`${scaled(a, places) + scaled(b, places)}e-${places}`);
}

function decimalPlaces(value: number): number {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  return Math.max(0, (mantissa.split(".")[1]?.length ?? 0) - Number(exponent));
}

function scaled(value: number, places: number): bigint {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(whole + fraction) * 10n ** BigInt(places + Number(exponent) - fraction.length);
}
