import { badRequest } from "../api/errors.ts";
import { fieldType } from "../apply/typed.ts";
import { type Dict, equal, isDict } from "../model/object.ts";
import type { Field, Type } from "../schema/types.ts";

/**
 * Kubernetes' strategic merge: lists with a merge key merge item by item, sets are united, and the directives `$patch`,
 * `$deleteFromPrimitiveList`, `$setElementOrder` and `$retainKeys` are obeyed.
 */
export function strategicMerge(value: unknown, patch: unknown, type: Type): unknown {
  return mergeDict(isDict(value) ? value : {}, asDict(patch), type);
}

function asDict(patch: unknown): Dict {
  if (!isDict(patch)) throw badRequest("a strategic merge patch must be an object");
  return patch;
}

function mergeDict(value: Dict, patch: Dict, type: Type): Dict {
  if (patch.$patch === "replace") {
    const { $patch: _, ...rest } = patch;
    return rest;
  }
  if (patch.$patch === "delete") return {};
  let result: Dict = { ...value };
  if (Array.isArray(patch.$retainKeys)) {
    const retained = new Set(patch.$retainKeys);
    result = Object.fromEntries(Object.entries(result).filter(([key]) => retained.has(key)));
  }
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (key.startsWith("$")) {
      applyDirective(result, key, change);
      continue;
    }
    if (change === null) delete result[key];
    else result[key] = mergeField(result[key], change, fieldType(type, key), fieldOf(type, key));
  }
  for (const key of Object.keys(patch)) {
    const order = patch[`$setElementOrder/${key}`] ?? patch[key];
    if (fieldOf(type, key)?.strategies.includes("merge")) orderItems(result, key, order, value[key], type);
  }
  for (const key of Object.keys(patch)) {
    const field = key.startsWith("$setElementOrder/") ? key.slice(17) : "";
    if (field && !(field in patch)) orderItems(result, field, patch[key], value[field], type);
  }
  return result;
}

function fieldOf(type: Type, key: string): Field | undefined {
  return type.kind === "struct" ? type.fields.get(key) : undefined;
}

function applyDirective(result: Dict, key: string, change: unknown): void {
  if (!key.startsWith("$deleteFromPrimitiveList/") || !Array.isArray(change)) return;
  const field = key.slice(25);
  const list = result[field];
  if (Array.isArray(list)) result[field] = list.filter((item) => !change.some((gone) => equal(gone, item)));
}

function mergeField(value: unknown, change: unknown, type: Type, field: Field | undefined): unknown {
  if (isDict(change)) {
    const replace = field?.strategies.includes("replace") === true;
    return mergeDict(isDict(value) && !replace ? value : {}, change, type);
  }
  if (Array.isArray(change) && type.kind === "list" && field?.strategies.includes("merge")) {
    const list = Array.isArray(value) ? value : [];
    if (!field.mergeKey) return [...list, ...change.filter((item) => !list.some((known) => equal(known, item)))];
    return mergeItems(list, change, field.mergeKey, type.element);
  }
  return Array.isArray(change) ? change.map(withoutDirectives) : change;
}

function withoutDirectives(item: unknown): unknown {
  if (!isDict(item) || !("$patch" in item)) return item;
  const { $patch: _, ...rest } = item;
  return rest;
}

function mergeItems(list: unknown[], changes: unknown[], mergeKey: string, element: Type): unknown[] {
  if (changes.some((change) => isDict(change) && change.$patch === "replace")) {
    return changes.filter(
      (change) => !(isDict(change) && change.$patch === "replace" && Object.keys(change).length === 1),
    );
  }
  const result = [...list];
  for (const change of changes) {
    if (!isDict(change) || change[mergeKey] === undefined) {
      throw badRequest(`map: ${JSON.stringify(change)} does not contain declared merge key: ${mergeKey}`);
    }
    const at = result.findIndex((item) => isDict(item) && equal(item[mergeKey], change[mergeKey]));
    const known = result[at];
    if (change.$patch === "delete") {
      if (at >= 0) result.splice(at, 1);
    } else if (isDict(known)) result[at] = mergeDict(known, change, element);
    else result.push(mergeDict({}, change, element));
  }
  return result;
}

/**
 * Puts the items the patch names in its order; the others keep their place among them as far as the live list says so,
 * otherwise they follow.
 */
function orderItems(result: Dict, field: string, order: unknown, live: unknown, type: Type): void {
  const list = result[field];
  if (!Array.isArray(list) || !Array.isArray(order)) return;
  const mergeKey = fieldOf(type, field)?.mergeKey;
  const keyOf = (item: unknown) => JSON.stringify(mergeKey && isDict(item) ? item[mergeKey] : item);
  const wanted = new Map(order.map((item, i) => [keyOf(item), i]));
  const before = new Map((Array.isArray(live) ? live : []).map((item, i) => [keyOf(item), i]));
  const named = list.filter((item) => wanted.has(keyOf(item)));
  named.sort((a, b) => (wanted.get(keyOf(a)) ?? 0) - (wanted.get(keyOf(b)) ?? 0));
  const others = list.filter((item) => !wanted.has(keyOf(item)));
  const merged: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const other = before.get(keyOf(others[0]));
    const next = before.get(keyOf(named[0]));
    const otherFirst = other !== undefined && next !== undefined && other < next;
    merged.push(otherFirst ? others.shift() : named.shift());
  }
  result[field] = [...merged, ...named, ...others];
}
