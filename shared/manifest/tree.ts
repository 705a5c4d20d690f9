import { isRecord } from "./schema/kubeObject.ts";

/** An object of a definition whose fields have not been checked. */
export type Tree = Readonly<Record<string, unknown>>;

/** The objects of what should be a list of them. */
export function treesOf(value: unknown): Tree[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A text, or a number as one; empty for anything else. */
export function plainText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Keeps what was sent; null means the value in `empty`. */
export function filledTree<T extends Tree>(empty: T, sent: Tree): T {
  const given = Object.entries(sent).filter(([field, value]) => value !== null || !Object.hasOwn(empty, field));
  return { ...empty, ...Object.fromEntries(given) };
}

/** The fields, each as a list; a value that is no list becomes an empty one. */
export function listsOf(object: Tree, fields: readonly string[]): Tree {
  return Object.fromEntries(fields.map((field) => [field, Array.isArray(object[field]) ? object[field] : []]));
}
