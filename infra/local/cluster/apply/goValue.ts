import { isDict } from "../model/object.ts";

/** A value as Go prints it with `%#v`: what an apply says of a text or a number that is none. */
export function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (isDict(value)) {
    const entries = sorted(value).map(([key, inner]) => `${JSON.stringify(key)}:${goSyntax(inner)}`);
    return `map[string]interface {}{${entries.join(", ")}}`;
  }
  return value === null ? "interface {}(nil)" : JSON.stringify(value);
}

/** A value as Go prints it with `%v`: what an apply says of other values, and an API server of a strategic patch. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (isDict(value))
    return `map[${sorted(value)
      .map(([key, inner]) => `${key}:${goValue(inner)}`)
      .join(" ")}]`;
  return value === null ? "<nil>" : String(value);
}

/** The type of a value in Go, which is all that an apply says of what is no number. */
export function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isDict(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}

const sorted = (value: Readonly<Record<string, unknown>>) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
