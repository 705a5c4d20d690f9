import { randomBytes } from "node:crypto";

/** 16 hex characters that name planned content, or a round of an approval. */
export function newInstanceCode(): string {
  return randomBytes(8).toString("hex");
}
