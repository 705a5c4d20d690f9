/** An object of a definition whose fields nobody has checked. */
export type Tree = Readonly<Record<string, unknown>>;

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The objects of what should be a list of them. */
export function treesOf(value: unknown): Tree[] {
  return Array.isArray(value) ? value.filter(isTree) : [];
}
