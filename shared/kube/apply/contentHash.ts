import { createHash } from "node:crypto";
import type { KubeObject } from "../../manifest/parseManifest.ts";

/** SHA-256 over an object's content, in hex; the order of its keys does not matter, that of lists does. */
export function contentHash(object: KubeObject): string {
  return createHash("sha256").update(canonical(object)).digest("hex");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
