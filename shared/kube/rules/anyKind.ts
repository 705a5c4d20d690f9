/** Means every cluster-scoped kind: for what was admitted before. */
export const anyKind = "*";
