import { RegistryError } from "./registryError.ts";

/** Orders as the specification asks: alphanumeric without regard to case; equal ones by their characters. */
function compareNames(left: string, right: string): number {
  const a = left.toLowerCase();
  const b = right.toLowerCase();
  if (a !== b) return a < b ? -1 : 1;
  return left === right ? 0 : left < right ? -1 : 1;
}

/**
 * Cuts the page that `n` and `last` ask for out of the names, `limit` entries at most.
 * `link` is the `Link` header to the next page, absent on the last one. A bad `n` is UNSUPPORTED (400).
 */
export function pageOf(
  names: readonly string[],
  query: URLSearchParams,
  path: string,
  limit: number,
): { names: string[]; link?: string } {
  const asked = query.get("n");
  if (asked !== null && !/^[0-9]{1,9}$/.test(asked)) {
    throw new RegistryError("UNSUPPORTED", "n must be a whole number", { details: [{ n: asked }] });
  }
  const size = Math.min(asked === null ? limit : Number(asked), limit);
  const last = query.get("last");
  const after = names.toSorted(compareNames).filter((name) => last === null || compareNames(name, last) > 0);
  const page = after.slice(0, size);
  const end = page.at(-1);
  if (end === undefined || page.length === after.length) return { names: page };
  return { names: page, link: `<${path}?n=${size}&last=${encodeURIComponent(end)}>; rel="next"` };
}
