/** An attribute, or one inside the map that it holds. */
export type Path = string | readonly [attribute: string, inside: string];

/**
 * What must hold of the stored item (docs/contract/decisions 16.2). Data: DynamoDB's expression is made from it, and the table
 * of one machine evaluates it. As in DynamoDB, a comparison with an attribute that is missing does not hold.
 */
export type Condition =
  | { kind: "exists" | "absent"; path: Path }
  | { kind: "equals"; path: Path; value: unknown }
  | { kind: "oneOf"; path: Path; values: readonly unknown[] }
  | { kind: "less" | "atMost"; path: Path; value: number | string }
  | { kind: "contains"; path: Path; member: string }
  | { kind: "larger"; path: Path; size: number }
  | { kind: "and" | "or"; conditions: readonly Condition[] }
  | { kind: "not"; condition: Condition };

export const exists = (path: Path): Condition => ({ kind: "exists", path });
export const absent = (path: Path): Condition => ({ kind: "absent", path });
export const equals = (path: Path, value: unknown): Condition => ({ kind: "equals", path, value });
export const less = (path: Path, value: number | string): Condition => ({ kind: "less", path, value });
export const atMost = (path: Path, value: number | string): Condition => ({ kind: "atMost", path, value });
/** A set has the member, or a text the part. */
export const contains = (path: Path, member: string): Condition => ({ kind: "contains", path, member });
/** A set, list or map has more members, or a text more bytes, than `size`. */
export const larger = (path: Path, size: number): Condition => ({ kind: "larger", path, size });
export const both = (...conditions: readonly Condition[]): Condition => ({ kind: "and", conditions });
export const either = (...conditions: readonly Condition[]): Condition => ({ kind: "or", conditions });
export const not = (condition: Condition): Condition => ({ kind: "not", condition });

export const mustNotExist: Condition = absent("pk");
export const mustExist: Condition = exists("pk");

/** The item must still be the one that was read. */
export function mustHaveVersion(version: number): Condition {
  return equals("version", version);
}

/** The attribute must hold one of the values, for example the statuses from which a transition is allowed. */
export function mustBeOneOf(path: Path, values: readonly unknown[]): Condition {
  return { kind: "oneOf", path, values };
}

/** The item must be there without the attribute: what is set once. */
export function mustLack(path: Path): Condition {
  return both(mustExist, absent(path));
}

/** There is no item, or the condition holds of it. */
export function mustBeFreeOr(condition: Condition): Condition {
  return either(mustNotExist, condition);
}

/** Free, or its time (Unix seconds in `attribute`) has passed: leases and in-flight marks. */
export function mustBeFreeOrBefore(attribute: string, now: number): Condition {
  return mustBeFreeOr(less(attribute, now));
}
