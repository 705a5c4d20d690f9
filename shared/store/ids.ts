import { randomBytes } from "node:crypto";

/** A record id: 24 lowercase hex characters, its first 8 the Unix time, so that ids sort by age. */
export function newId(now: number = nowSeconds()): string {
  return now.toString(16).padStart(8, "0") + randomBytes(8).toString("hex");
}

/** Unix seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
