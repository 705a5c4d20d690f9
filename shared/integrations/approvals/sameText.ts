import { createHash, timingSafeEqual } from "node:crypto";

/** Whether two texts are the same, in a time that does not tell how much of them is. */
export function sameText(one: string, other: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(one), hash(other));
}
