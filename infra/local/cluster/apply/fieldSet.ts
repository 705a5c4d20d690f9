import type { FieldSet } from "../model/object.ts";

/**
 * Set algebra over field paths. A set is kept in its wire form, the trie of `fieldsV1`: keys are `f:<field>`,
 * `k:<json of the list keys>` or `v:<json value>`; a node that is a member itself is `{}` when it is a leaf and carries
 * `"."` when it has children. The root is never a member, so `{}` at the root is the empty set.
 */
const self = ".";

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the node is a member itself (never ask the root). */
export function isMember(node: FieldSet): boolean {
  return self in node || isEmptySet(node);
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  return combine(left, right, false) ?? {};
}

function combine(left: FieldSet, right: FieldSet, member: boolean): FieldSet {
  if (left === right) return left;
  const result: FieldSet = {};
  for (const key in left) {
    if (key === self) continue;
    const a = left[key] as FieldSet;
    const b = right[key];
    result[key] = b ? combine(a, b, isMember(a) || isMember(b)) : a;
  }
  for (const key in right) if (key !== self && !(key in left)) result[key] = right[key] as FieldSet;
  return withSelf(result, member);
}

/** The members of `left` that are not in `right`; a removed parent does not take its children with it. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  return subtract(left, right, false) ?? {};
}

function subtract(left: FieldSet, right: FieldSet, member: boolean): FieldSet | undefined {
  const result: FieldSet = {};
  for (const key in left) {
    if (key === self) continue;
    const a = left[key] as FieldSet;
    const b = right[key];
    const rest = b ? subtract(a, b, isMember(a) && !isMember(b)) : a;
    if (rest) result[key] = rest;
  }
  return closed(result, member);
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  return common(left, right, false) ?? {};
}

function common(left: FieldSet, right: FieldSet, member: boolean): FieldSet | undefined {
  const result: FieldSet = {};
  for (const key in left) {
    if (key === self) continue;
    const a = left[key] as FieldSet;
    const b = right[key];
    if (!b) continue;
    const both = common(a, b, isMember(a) && isMember(b));
    if (both) result[key] = both;
  }
  return closed(result, member);
}

/** All paths of `left` except those in `right` and everything below them. */
export function withoutBelow(left: FieldSet, right: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const key in left) {
    const a = left[key] as FieldSet;
    const b = right[key];
    if (key === self || !b) result[key] = a;
    else if (!isMember(b)) {
      const rest = withoutBelow(a, b);
      if (!isEmptySet(rest)) result[key] = rest;
    }
  }
  return result;
}

/** Makes every named field (`f:`) on the way to a member a member too. */
export function withNamedParents(set: FieldSet): FieldSet {
  const result: FieldSet = {};
  for (const key in set) {
    if (key === self) continue;
    const node = set[key] as FieldSet;
    result[key] = withSelf(withNamedParents(node), isMember(node) || key.startsWith("f:"));
  }
  return result;
}

export function sameSet(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  for (const key in left) {
    const b = right[key];
    if (!b || !sameSet(left[key] as FieldSet, b)) return false;
  }
  for (const key in right) if (!(key in left)) return false;
  return true;
}

/** A node from its children and whether it is a member itself; undefined when it would hold nothing. */
export function closed(children: FieldSet, member: boolean): FieldSet | undefined {
  if (isEmptySet(children)) return member ? {} : undefined;
  return withSelf(children, member);
}

function withSelf(children: FieldSet, member: boolean): FieldSet {
  return member && !isEmptySet(children) ? { [self]: {}, ...children } : children;
}

/** The members as the API server prints them, e.g. `.spec.template.spec.containers[name="app"].image`. */
export function paths(set: FieldSet, prefix = ""): string[] {
  const result: string[] = [];
  for (const key in set) {
    if (key === self) continue;
    const node = set[key] as FieldSet;
    const path = prefix + printElement(key);
    if (isMember(node)) result.push(path);
    result.push(...paths(node, path));
  }
  return result.sort();
}

/** One path element as the API server prints it. */
export function printElement(key: string): string {
  if (key.startsWith("f:")) return `.${key.slice(2)}`;
  if (key.startsWith("v:")) return `[=${key.slice(2)}]`;
  const keys: Record<string, unknown> = JSON.parse(key.slice(2));
  return `[${Object.entries(keys)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",")}]`;
}
