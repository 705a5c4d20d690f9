import { isRecord } from "../../../manifest/schema/kubeObject.ts";

/** What a code host sent. */
export type Tree = Readonly<Record<string, unknown>>;

/** What is under names inside each other; undefined where one is not there. */
export const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);

/** A text there; empty where there is none. */
export const text = (value: unknown, ...names: readonly string[]): string => {
  const found = at(value, ...names);
  return typeof found === "string" ? found : "";
};

/** A whole number there; 0 where there is none. */
export const number = (value: unknown, ...names: readonly string[]): number => {
  const found = at(value, ...names);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : 0;
};
