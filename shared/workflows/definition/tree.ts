import { isRecord } from "../../manifest/kubeObject.ts";

/** An object of a definition whose fields nobody has checked. */
export type Tree = Readonly<Record<string, unknown>>;

/** The objects of what should be a list of them. */
export function treesOf(value: unknown): Tree[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
