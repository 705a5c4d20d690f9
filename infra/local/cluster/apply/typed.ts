import { type Dict, equal, type FieldSet, isDict } from "../model/object.ts";
import type { ListType, Type } from "../schema/types.ts";
import { closed, isEmptySet, isMember } from "./fieldSet.ts";

/** Operations on a value that know its type: which lists merge by key, which maps are owned as a whole. */

/** How a value is walked: as a leaf, field by field, or item by item. */
type Shape = "leaf" | "fields" | "items";

export function shapeOf(type: Type, value: unknown): Shape {
  switch (type.kind) {
    case "scalar":
      return "leaf";
    case "list":
      return type.mode === "atomic" ? "leaf" : "items";
    case "any":
      return isDict(value) ? "fields" : "leaf";
    default:
      return type.atomic ? "leaf" : "fields";
  }
}

export function fieldType(type: Type, key: string): Type {
  if (type.kind === "struct") return type.fields.get(key)?.type ?? anyType;
  return type.kind === "map" ? type.element : anyType;
}

const anyType: Type = { kind: "any" };

/** The path element of a list item: `k:` with its keys, or `v:` with its value. */
export function itemElement(type: ListType, item: unknown): string {
  if (type.mode === "set" || !isDict(item)) return `v:${JSON.stringify(item)}`;
  const keys: Dict = {};
  for (const name of [...type.keys].sort()) {
    const value = item[name] ?? keyDefault(type, name);
    if (value !== undefined) keys[name] = value;
  }
  return `k:${JSON.stringify(keys)}`;
}

function keyDefault(type: ListType, name: string): unknown {
  if (type.element.kind !== "struct") return undefined;
  return type.element.fields.get(name)?.schema.default;
}

/** The set of fields that a value sets, as an applied configuration owns them. */
export function fieldsOf(value: unknown, type: Type): FieldSet {
  return ownNode(value, type, false) ?? {};
}

function ownNode(value: unknown, type: Type, member: boolean): FieldSet | undefined {
  const shape = shapeOf(type, value);
  if (shape === "leaf") return {};
  const children: FieldSet = {};
  if (shape === "items" && type.kind === "list" && Array.isArray(value)) {
    for (const item of value) children[itemElement(type, item)] = ownNode(item, type.element, true) ?? {};
  } else if (shape === "fields" && isDict(value)) {
    for (const key of Object.keys(value)) {
      const child = value[key];
      if (child === undefined) continue;
      const named = type.kind === "struct" && type.fields.has(key);
      const empty = child === null || (isDict(child) && Object.keys(child).length === 0);
      const node = ownNode(child, fieldType(type, key), !named || empty);
      if (node) children[`f:${key}`] = node;
    }
  }
  return closed(children, member);
}

export interface Comparison {
  added: FieldSet;
  removed: FieldSet;
  modified: FieldSet;
}

/** Which fields differ between two values of a type. A `null` on the left is a list that is there but empty. */
export function compare(left: unknown, right: unknown, type: Type): Comparison {
  const found = compareNode(left, right, type);
  return { added: found?.added ?? {}, removed: found?.removed ?? {}, modified: found?.modified ?? {} };
}

function compareNode(left: unknown, right: unknown, type: Type): Partial<Comparison> | undefined {
  if (left === right) return undefined;
  const shape = shapeOf(type, left ?? right);
  if (shape === "leaf" || shapeOf(type, right ?? left) === "leaf" || (isVoid(left) && isVoid(right))) {
    if (left === undefined) return { added: {} };
    if (right === undefined) return { removed: {} };
    return equal(left, right) ? undefined : { modified: {} };
  }
  const sets = { added: {}, removed: {}, modified: {} } as Comparison;
  const leftItems = children(left, type, shape);
  const rightItems = children(right, type, shape);
  for (const [element, item] of leftItems)
    collect(sets, element, compareNode(item.value, rightItems.get(element)?.value, item.type));
  for (const [element, item] of rightItems) {
    if (!leftItems.has(element)) collect(sets, element, compareNode(undefined, item.value, item.type));
  }
  const result: Partial<Comparison> = {};
  const added = closed(sets.added, left === undefined);
  const removed = closed(sets.removed, right === undefined);
  if (added) result.added = added;
  if (removed) result.removed = removed;
  if (!isEmptySet(sets.modified)) result.modified = sets.modified;
  return result;
}

function collect(sets: Comparison, element: string, found: Partial<Comparison> | undefined): void {
  if (!found) return;
  if (found.added) sets.added[element] = found.added;
  if (found.removed) sets.removed[element] = found.removed;
  if (found.modified) sets.modified[element] = found.modified;
}

function isVoid(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isDict(value) && Object.keys(value).length === 0;
}

interface Child {
  value: unknown;
  type: Type;
}

function children(value: unknown, type: Type, shape: Shape): Map<string, Child> {
  const result = new Map<string, Child>();
  if (shape === "items" && type.kind === "list" && Array.isArray(value)) {
    for (const item of value) result.set(itemElement(type, item), { value: item, type: type.element });
  } else if (shape === "fields" && isDict(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] !== undefined) result.set(`f:${key}`, { value: value[key], type: fieldType(type, key) });
    }
  }
  return result;
}

/** The live value with the applied one laid over it; lists keep the live order and take the applied order for what both have. */
export function mergeValues(live: unknown, applied: unknown, type: Type): unknown {
  if (applied === undefined) return live;
  if (live === undefined || live === null || applied === null) return applied;
  const shape = shapeOf(type, applied);
  if (shape === "fields" && isDict(live) && isDict(applied)) {
    const result: Dict = { ...live };
    for (const key of Object.keys(applied)) result[key] = mergeValues(live[key], applied[key], fieldType(type, key));
    return result;
  }
  if (shape === "items" && type.kind === "list" && Array.isArray(live) && Array.isArray(applied)) {
    return mergeItems(live, applied, type);
  }
  return applied;
}

function mergeItems(live: unknown[], applied: unknown[], type: ListType): unknown[] {
  const liveByKey = new Map(live.map((item) => [itemElement(type, item), item]));
  const appliedKeys = applied.map((item) => itemElement(type, item));
  const pending = new Set(appliedKeys);
  const result: unknown[] = [];
  let next = 0;
  const takeApplied = () => {
    const key = appliedKeys[next] ?? "";
    result.push(mergeValues(liveByKey.get(key), applied[next], type.element));
    pending.delete(key);
    next++;
  };
  const shared = new Set(appliedKeys);
  for (const item of live) {
    const key = itemElement(type, item);
    if (!shared.has(key)) {
      result.push(item);
      continue;
    }
    while (pending.has(key)) takeApplied();
  }
  while (next < applied.length) takeApplied();
  return result;
}

/** The value without the members of the set and all that is below them; undefined when nothing is left. */
export function removeFields(value: unknown, set: FieldSet, type: Type): unknown {
  const shape = shapeOf(type, value);
  if (shape === "fields" && isDict(value)) {
    const result: Dict = {};
    for (const key of Object.keys(value)) {
      const node = set[`f:${key}`];
      if (!node) result[key] = value[key];
      else if (!isMember(node)) {
        const rest = removeFields(value[key], node, fieldType(type, key));
        if (rest !== undefined) result[key] = rest;
      }
    }
    return Object.keys(result).length > 0 ? result : undefined;
  }
  if (shape === "items" && type.kind === "list" && Array.isArray(value)) {
    const result: unknown[] = [];
    for (const item of value) {
      const node = set[itemElement(type, item)];
      if (!node) result.push(item);
      else if (!isMember(node)) result.push(removeFields(item, node, type.element));
    }
    return result.length > 0 ? result : undefined;
  }
  return value;
}
