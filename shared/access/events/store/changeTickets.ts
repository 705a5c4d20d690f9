import { randomBytes } from "node:crypto";
import { mustExist } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { changeSocketKeys } from "../../../base/store/keys/changeSocketKeys.ts";
import { table } from "../../../base/store/table.ts";
import { create, remove, type Write } from "../../../base/store/writes.ts";
import { hashToken } from "../../identity/session/tokenText.ts";

/** Seconds for which a ticket opens a connection. */
export const ticketSeconds = 30;

/** Who a ticket was given to. */
export interface ChangeTicket {
  /** SHA-256 of the token that asked for it. */
  tokenHash: string;
  uid: string;
  /** Absent for an API token. */
  session?: string;
  /** Unix seconds. */
  expiresAt: number;
}

/** A ticket for one connection: a text that a browser can send as a subprotocol, and that no log holds. */
export async function giveTicket(bearer: Omit<ChangeTicket, "expiresAt">): Promise<string> {
  const text = randomBytes(24).toString("base64url");
  const expiresAt = nowSeconds() + ticketSeconds;
  const key = changeSocketKeys.ticket(hashToken(text));
  await table().write(create({ ...bearer, ...key, type: "change-ticket", expiresAt, ttl: expiresAt + 3600 }));
  return text;
}

/** A ticket that has not expired, with what uses it up: that fails when it was used meanwhile. */
export async function findTicket(text: string): Promise<{ ticket: ChangeTicket; use: Write } | undefined> {
  const key = changeSocketKeys.ticket(hashToken(text));
  const ticket = await table().get<ChangeTicket>(key);
  if (ticket === undefined || ticket.expiresAt < nowSeconds()) return undefined;
  return { ticket, use: remove(key, mustExist) };
}
