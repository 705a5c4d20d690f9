import type { Budget } from "./budget.ts";
import { compareStrings, GoByte, type GoValue, isList, isMap, typeName } from "./goValue.ts";

/** Why two values cannot be compared; its text goes into a TemplateError. */
export class ComparisonError extends Error {}

type Kind = "bool" | "int" | "float64" | "string" | "none";

function kindOf(value: GoValue): Kind {
  if (value instanceof GoByte || typeof value === "bigint") return "int";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return "float64";
  return typeof value === "string" ? "string" : "none";
}

function isNothing(value: GoValue): boolean {
  return value === undefined || value === null;
}

/** Go's `eq` of two values: no conversion between kinds; nothing equals nothing; maps and lists only compare with nil. */
export function areEqual(left: GoValue, right: GoValue, budget: Budget): boolean {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) {
    if (isNothing(left) || isNothing(right)) return false;
    throw new ComparisonError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  }
  if (kind === "none") return nothingEquals(left, right);
  if (typeof left === "string" && typeof right === "string") budget.text(Math.min(left.length, right.length));
  return plain(left) === plain(right);
}

function nothingEquals(left: GoValue, right: GoValue): boolean {
  if (isNothing(left) || isNothing(right)) return isNothing(left) === isNothing(right);
  const what = isMap(left) && isMap(right) ? "maps" : isList(left) && isList(right) ? "lists" : "a map and a list";
  throw new ComparisonError(`${what} cannot be compared`);
}

function plain(value: GoValue): GoValue {
  return value instanceof GoByte ? value.value : value;
}

/** Go's `lt`: integers, floats and strings, each only with its own kind. */
export function isLess(left: GoValue, right: GoValue, budget: Budget): boolean {
  const kind = kindOf(left);
  if (kind === "none" || kindOf(right) === "none") throw new ComparisonError("invalid type for comparison");
  if (kind !== kindOf(right)) {
    throw new ComparisonError(`incompatible types for comparison: ${typeName(left)} and ${typeName(right)}`);
  }
  const [a, b] = [plain(left), plain(right)];
  if (typeof a === "string" && typeof b === "string") {
    budget.text(Math.min(a.length, b.length));
    return compareStrings(a, b) < 0;
  }
  if (typeof a === "bigint" && typeof b === "bigint") return a < b;
  if (typeof a === "number" && typeof b === "number") return a < b;
  throw new ComparisonError("invalid type for comparison");
}
