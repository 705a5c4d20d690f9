import { keys } from "../keys.ts";
import type { Item } from "../table.ts";
import { table } from "../theTable.ts";

export interface TokenRecord {
  uid: string;
  kind: "api" | "login";
  /** Unix seconds; absent: never. */
  expiresAt?: number;
}

/** The record of a token by the SHA-256 of its text. */
export function findToken(hash: string): Promise<Item<TokenRecord> | undefined> {
  return table().get<TokenRecord>(keys.token(hash));
}
