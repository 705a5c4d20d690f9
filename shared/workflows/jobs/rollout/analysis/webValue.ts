import { askServer } from "./askServer.ts";
import { NoValue } from "./noValue.ts";

/** The number at a JSON pointer of what a path answers. @param query `<path>#<pointer>` @throws NoValue */
export async function webValue(integrationId: string, query: string): Promise<number> {
  const hash = query.indexOf("#");
  const pointer = query.slice(hash + 1);
  const found = valueAt(await askServer(integrationId, "web", query.slice(0, hash)), pointer);
  const value = typeof found === "string" && found.trim() !== "" ? Number(found) : found;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "number" || !Number.isFinite(value))
    throw new NoValue(`there is no number at ${pointer || "/"}`);
  return value;
}

/** RFC 6901. */
function valueAt(document: unknown, pointer: string): unknown {
  const parts = pointer.split("/").slice(1);
  return parts.reduce((value: unknown, part) => {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && key === "length") return undefined;
    return (value as Record<string, unknown>)[key];
  }, document);
}
