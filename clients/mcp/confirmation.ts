import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Connection } from "@slipway/client";
import type { Call } from "./callOperation.ts";
import { WrongCall } from "./wrongCall.ts";

const validSeconds = 10 * 60;
/** A confirmation is worth nothing after a restart: what was shown then is old. */
const secret = randomBytes(32);
const form = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/;

/** What a preview answers, and the change has to bring: it holds for this caller, this call and ten minutes. */
export function confirmationOf(connection: Connection, call: Call, now = Date.now()): string {
  const head = `${Math.floor(now / 1000) + validSeconds}.${randomBytes(16).toString("base64url")}`;
  return `${head}.${sealOf(head, connection, call)}`;
}

/**
 * The key under which a confirmed change is sent: Slipway makes it once, however often it comes.
 * @throws WrongCall when the confirmation is of another call or caller, or too old
 */
export function confirmedKey(confirmation: string, connection: Connection, call: Call, now = Date.now()): string {
  const [, until = "", nonce = "", seal = ""] = form.exec(confirmation) ?? [];
  const again = "call preview_change with exactly this call, show what it answers, and confirm that";
  const expected = sealOf(`${until}.${nonce}`, connection, call);
  if (seal.length !== expected.length || !timingSafeEqual(Buffer.from(seal), Buffer.from(expected)))
    throw new WrongCall(`nothing was changed: the confirmation is not one of this call; ${again}`);
  if (Number(until) * 1000 <= now)
    throw new WrongCall(`nothing was changed: the confirmation is older than ${validSeconds / 60} minutes; ${again}`);
  return `mcp-${createHash("sha256").update(confirmation).digest("base64url")}`;
}

function sealOf(head: string, { address, token = "" }: Connection, { operation, parameters, body }: Call): string {
  const bound = JSON.stringify([head, address, token, operation.id, ordered(parameters), ordered(body) ?? null]);
  return createHmac("sha256", secret).update(bound).digest("base64url");
}

/** The same call has the same text in whatever order its fields come. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, ordered(inner)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
