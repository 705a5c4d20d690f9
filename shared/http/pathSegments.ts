/**
 * Segments of a path as a client sent it, each decoded once; empty ones collapse, so that `//a//b/` is `/a/b`. Undefined
 * for a path that climbs, hides a slash or cannot be decoded.
 */
export function pathSegments(rawPath: string): string[] | undefined {
  const decoded: string[] = [];
  for (const part of rawPath.split("/")) {
    if (part === "") continue;
    let segment: string;
    try {
      segment = part.includes("%") ? decodeURIComponent(part) : part;
    } catch {
      return undefined;
    }
    if (segment === "." || segment === ".." || segment.includes("/")) return undefined;
    decoded.push(segment);
  }
  return decoded;
}

/** The same path without empty segments, everything else as it was sent. */
export function collapsePath(rawPath: string): string {
  return rawPath.replace(/\/{2,}/g, "/");
}
