import { createHash } from "node:crypto";
import { algorithmOf } from "./rules/imageNames.ts";

/** The digest of content, by the algorithm of `like` (a digest); sha256 without it. */
export function digestOf(content: Uint8Array, like = "sha256:"): string {
  const algorithm = algorithmOf(like);
  return `${algorithm}:${createHash(algorithm).update(content).digest("hex")}`;
}
