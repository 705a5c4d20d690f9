/** Stands for every cluster-scoped kind: of what was admitted before. */
export const anyKind = "*";
