import { isRecord } from "../../manifest/kubeObject.ts";

/** An object of a definition whose fields nobody has checked. */
export type Tree = Readonly<Record<string, unknown>>;

/** The objects of what should be a list of them. */
export function treesOf(value: unknown): Tree[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** A text, or a number as one; empty for anything else. */
export function plainText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** What was sent stays; null stands for what is empty. */
export function filledTree<T extends Tree>(empty: T, sent: Tree): T {
  const given = Object.entries(sent).filter(([field, value]) => value !== null || !Object.hasOwn(empty, field));
  return { ...empty, ...Object.fromEntries(given) };
}

/** The fields, each as a list: what is none is empty. */
export function listsOf(object: Tree, fields: readonly string[]): Tree {
  return Object.fromEntries(fields.map((field) => [field, Array.isArray(object[field]) ? object[field] : []]));
}
