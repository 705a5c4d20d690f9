import { isObject, type Json, type JsonObject } from "./json.ts";
import { type Context, findPath, readPath } from "./readPath.ts";

const isTimestamp = (value: Json): boolean =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));

const types: Readonly<Record<string, (value: Json) => boolean>> = {
  String: (value) => typeof value === "string",
  Numeric: (value) => typeof value === "number",
  Boolean: (value) => typeof value === "boolean",
  Timestamp: isTimestamp,
};

type Comparable = string | number | boolean;

const comparisons: Readonly<Record<string, (left: Comparable, right: Comparable) => boolean>> = {
  Equals: (left, right) => left === right,
  LessThan: (left, right) => left < right,
  GreaterThan: (left, right) => left > right,
  LessThanEquals: (left, right) => left <= right,
  GreaterThanEquals: (left, right) => left >= right,
};

const operators =
  /^(?:Is(?:Present|Null|String|Numeric|Boolean|Timestamp)|StringMatches|BooleanEquals(?:Path)?|(?:String|Numeric|Timestamp)(?:Equals|LessThan|GreaterThan|LessThanEquals|GreaterThanEquals)(?:Path)?)$/;

/** What is wrong with a rule of a Choice state, or with those inside it. */
export function* ruleProblems(rule: Json): Generator<string> {
  const { Next: _, Comment: __, Variable, ...rest } = isObject(rule) ? rule : {};
  const [[operator, operand] = ["", null], ...more] = Object.entries(rest);
  if (more.length > 0) yield `a rule has one operator, not ${Object.keys(rest).join(", ")}`;
  if (operator === "Not") yield* ruleProblems(operand);
  else if ((operator === "And" || operator === "Or") && Array.isArray(operand))
    for (const inner of operand) yield* ruleProblems(inner);
  else if (typeof Variable !== "string") yield "Variable is missing";
  else if (!operators.test(operator)) yield `the operator ${operator} does not exist`;
}

/** Whether a rule of a Choice state holds. A value of another type than the operator's does not match. @throws StateError */
export function holds(rule: JsonObject, input: Json, context: Context): boolean {
  const inner = (one: Json): boolean => isObject(one) && holds(one, input, context);
  if (Array.isArray(rule.And)) return rule.And.every(inner);
  if (Array.isArray(rule.Or)) return rule.Or.some(inner);
  if (rule.Not !== undefined) return !inner(rule.Not);
  const { Next: _, Comment: __, Variable, ...rest } = rule;
  const [[operator, operand] = ["", null]] = Object.entries(rest);
  const path = String(Variable);
  if (operator === "IsPresent") return (findPath(path, input, context) !== undefined) === operand;
  const value = readPath(path, input, context);
  if (operator === "IsNull") return (value === null) === operand;
  if (operator === "StringMatches") return typeof value === "string" && wildcard(String(operand)).test(value);
  const asked = operator.startsWith("Is") ? types[operator.slice(2)] : undefined;
  if (asked) return asked(value) === operand;
  const [, type = "", how = "", byPath] = /^(String|Numeric|Boolean|Timestamp)(\w+?)(Path)?$/.exec(operator) ?? [];
  const [isOfType, compare] = [types[type], comparisons[how]];
  const other = byPath ? readPath(String(operand), input, context) : operand;
  return isOfType?.(value) === true && isOfType(other) && compare?.(order(type, value), order(type, other)) === true;
}

function order(type: string, value: Json): Comparable {
  if (type === "Timestamp") return Date.parse(String(value));
  return typeof value === "number" || typeof value === "boolean" ? value : String(value);
}

/** `*` matches any characters, `\*` an asterisk. */
function wildcard(pattern: string): RegExp {
  const matcher = (all: string, escaped: string | undefined) => (all === "*" ? ".*" : `\\${escaped ?? all}`);
  return new RegExp(`^${pattern.replace(/\\([\\*])|[^\w\s]/g, matcher)}$`, "s");
}
