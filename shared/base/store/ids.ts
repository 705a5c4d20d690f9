import { createHash, randomBytes } from "node:crypto";

/** A record id: 24 lowercase hex characters, its first 8 the Unix time, so that ids sort by age. */
export function newId(now: number = nowSeconds()): string {
  return now.toString(16).padStart(8, "0") + randomBytes(8).toString("hex");
}

/** A record id that is the same for the same name and time (Unix seconds): making the record again finds the first. */
export function digestId(name: string, time: number): string {
  return time.toString(16).padStart(8, "0") + createHash("sha256").update(name).digest("hex").slice(0, 16);
}

/** Unix seconds. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
