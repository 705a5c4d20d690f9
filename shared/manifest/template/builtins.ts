import type { Budget } from "./budget.ts";
import { areEqual, ComparisonError, isLess } from "./goCompare.ts";
import { sprint, sprintf, sprintln } from "./goPrintf.ts";
import { fromData, GoByte, type GoValue, isList, isMap, isTrue, typeName } from "./goValue.ts";

/** A function of the template language; it throws a BuiltinError or ComparisonError where Go's fails. */
export interface Builtin {
  least: number;
  most: number;
  /** Functions that take `interface {}` see a missing value as nil. */
  call(args: readonly GoValue[], budget: Budget): GoValue;
}

/** Why a function refuses its arguments; its text goes into a TemplateError. */
export class BuiltinError extends Error {}

const MANY = Number.POSITIVE_INFINITY;

const BUILTINS = new Map<string, Builtin>([
  ["eq", { least: 1, most: MANY, call: equalsAny }],
  ["ne", { least: 2, most: 2, call: ([a, b], budget) => !areEqual(a, b, budget) }],
  ["lt", { least: 2, most: 2, call: ([a, b], budget) => isLess(a, b, budget) }],
  ["le", { least: 2, most: 2, call: ([a, b], budget) => isLess(a, b, budget) || areEqual(a, b, budget) }],
  ["gt", { least: 2, most: 2, call: ([a, b], budget) => !isLess(a, b, budget) && !areEqual(a, b, budget) }],
  ["ge", { least: 2, most: 2, call: ([a, b], budget) => !isLess(a, b, budget) }],
  ["not", { least: 1, most: 1, call: ([a]) => !isTrue(a) }],
  ["len", { least: 1, most: 1, call: ([a], budget) => lengthOf(a, budget) }],
  ["index", { least: 1, most: MANY, call: index }],
  ["slice", { least: 1, most: MANY, call: slice }],
  ["print", { least: 0, most: MANY, call: sprint }],
  ["println", { least: 0, most: MANY, call: sprintln }],
  ["printf", { least: 1, most: MANY, call: printf }],
]);

/** Whether the template language has a function of this name; `and` and `or` are the interpreter's own. */
export function isBuiltin(name: string): boolean {
  return name === "and" || name === "or" || BUILTINS.has(name);
}

/** The function of a name; undefined for `and`, `or` and unknown names. */
export function builtin(name: string): Builtin | undefined {
  return BUILTINS.get(name);
}

function equalsAny([first, ...others]: readonly GoValue[], budget: Budget): boolean {
  if (others.length === 0) throw new ComparisonError("missing argument for comparison");
  return others.some((other) => areEqual(first, other, budget));
}

function printf([format, ...args]: readonly GoValue[], budget: Budget): string {
  if (typeof format !== "string")
    throw new BuiltinError(`wrong type for value; expected string; got ${typeName(format)}`);
  return sprintf(format, args, budget);
}

function lengthOf(value: GoValue, budget: Budget): bigint {
  if (typeof value === "string") {
    budget.text(value.length);
    return BigInt(Buffer.byteLength(value));
  }
  if (isList(value)) return BigInt(value.length);
  if (!isMap(value)) throw new BuiltinError(`len of ${typeName(value)}`);
  const { length } = Object.keys(value);
  budget.step(length);
  return BigInt(length);
}

function index([item, ...indexes]: readonly GoValue[], budget: Budget): GoValue {
  if (item === undefined || item === null) throw new BuiltinError("index of untyped nil");
  return indexes.reduce((from: GoValue, at) => element(from, at, budget), item);
}

function element(item: GoValue, at: GoValue, budget: Budget): GoValue {
  if (isMap(item)) {
    if (typeof at !== "string") throw new BuiltinError(`a map has no key of type ${typeName(at)}`);
    return Object.hasOwn(item, at) ? fromData(item[at]) : null;
  }
  if (isList(item)) return fromData(item[position(at, item.length - 1)]);
  if (typeof item !== "string") throw new BuiltinError(`can't index item of type ${typeName(item)}`);
  const bytes = bytesOf(item, budget);
  return new GoByte(bytes[position(at, bytes.length - 1)] ?? 0);
}

function bytesOf(text: string, budget: Budget): Buffer {
  budget.text(text.length);
  return Buffer.from(text);
}

function position(at: GoValue, most: number): number {
  const value = at instanceof GoByte ? at.value : at;
  if (typeof value !== "bigint") throw new BuiltinError(`cannot index slice/array with type ${typeName(at)}`);
  if (value < 0n || value > BigInt(most)) throw new BuiltinError(`index out of range: ${value}`);
  return Number(value);
}

function slice([item, ...indexes]: readonly GoValue[], budget: Budget): GoValue {
  if (indexes.length > 3) throw new BuiltinError(`too many slice indexes: ${indexes.length}`);
  if (typeof item === "string" && indexes.length === 3) throw new BuiltinError("cannot 3-index slice a string");
  if (typeof item !== "string" && !isList(item)) throw new BuiltinError(`can't slice item of type ${typeName(item)}`);
  if (isList(item)) {
    const [from, to] = bounds(indexes, item.length, budget);
    return item.slice(from, to);
  }
  const bytes = bytesOf(item, budget);
  const [from, to] = bounds(indexes, bytes.length, budget);
  // A cut through a character leaves bytes that are no UTF-8; they become U+FFFD.
  return bytes.toString("utf8", from, to);
}

function bounds(indexes: readonly GoValue[], length: number, budget: Budget): [number, number] {
  const [from = 0, to = length, limit = length] = indexes.map((at) => position(at, length));
  if (from > to || to > limit) throw new BuiltinError(`invalid slice index: ${from} > ${to}`);
  budget.step((to - from) / 16);
  return [from, to];
}
