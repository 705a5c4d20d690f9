import { isDeepStrictEqual } from "node:util";
import type { Condition, Path } from "../../../shared/base/store/conditions.ts";
import type { Attributes } from "../../../shared/base/store/engine.ts";

/** Whether a condition holds of an item, of one that is missing too, as DynamoDB decides it. */
export function conditionHolds(condition: Condition, item: Readonly<Attributes> = {}): boolean {
  switch (condition.kind) {
    case "and":
      return condition.conditions.every((one) => conditionHolds(one, item));
    case "or":
      return condition.conditions.some((one) => conditionHolds(one, item));
    case "not":
      return !conditionHolds(condition.condition, item);
  }
  const value = valueAt(condition.path, item);
  switch (condition.kind) {
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "equals":
      return isSame(value, condition.value);
    case "oneOf":
      return condition.values.some((one) => isSame(value, one));
    case "less":
      return (compare(value, condition.value) ?? 0) < 0;
    case "atMost":
      return (compare(value, condition.value) ?? 1) <= 0;
    case "contains":
      return hasMember(value, condition.member);
    case "larger":
      return (sizeOf(value) ?? 0) > condition.size;
  }
}

function valueAt(path: Path, item: Readonly<Attributes>): unknown {
  if (typeof path === "string") return item[path];
  const [attribute, inside] = path;
  const map = item[attribute];
  return isMap(map) && Object.hasOwn(map, inside) ? map[inside] : undefined;
}

function isMap(value: unknown): value is Attributes {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Set);
}

/** A value that is missing is the same as none. */
function isSame(value: unknown, other: unknown): boolean {
  if (typeof value === "number" && typeof other === "number") return value === other;
  return value !== undefined && isDeepStrictEqual(value, other);
}

/** Texts by their UTF-8, as keys are ordered; undefined where DynamoDB compares nothing. */
function compare(value: unknown, bound: number | string): number | undefined {
  if (typeof value === "number" && typeof bound === "number") return value - bound;
  if (typeof value === "string" && typeof bound === "string")
    return Buffer.compare(Buffer.from(value), Buffer.from(bound));
  return undefined;
}

function hasMember(value: unknown, member: string): boolean {
  if (value instanceof Set) return value.has(member);
  return (typeof value === "string" || Array.isArray(value)) && value.includes(member);
}

function sizeOf(value: unknown): number | undefined {
  if (value instanceof Set) return value.size;
  if (typeof value === "string") return value.length;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
}
