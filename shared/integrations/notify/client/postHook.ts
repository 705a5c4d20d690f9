import { createHmac } from "node:crypto";
import { postJson } from "./post.ts";

export interface HookCall {
  address: string;
  body: string;
  /** Chats and callbacks get the body alone, and its signature where they have a key. */
  kind: "webhook" | "plain";
  /** Sent as it is (contract W 15.3). */
  token: string;
  /** Makes the signature; empty: there is none (decisions 7.8). */
  signingKey: string;
  /** This installation's address. */
  instance: string;
  event: string;
  /** The same in every repetition, so that a receiver can tell one. */
  eventUuid: string;
  webhookUuid: string;
}

/**
 * One call of a hook; of a webhook with the headers of contract W 15.3 and, with a key, the signature of decisions 7.8.
 * @throws NotDelivered when the address is refused or does not answer
 */
export function postHook(call: HookCall): Promise<{ status: number; body: string }> {
  const signed = call.signingKey === "" ? {} : { "X-Slipway-Signature": signature(call.signingKey, call.body) };
  if (call.kind === "plain") return postJson(call.address, call.body, signed);
  return postJson(call.address, call.body, {
    "X-Zadig-Token": call.token,
    "X-Zadig-Instance": call.instance,
    "X-Zadig-Event": call.event,
    "X-Zadig-Event-UUID": call.eventUuid,
    "X-Zadig-Webhook-UUID": call.webhookUuid,
    ...signed,
  });
}

function signature(key: string, body: string): string {
  const time = Math.floor(Date.now() / 1000);
  return `t=${time},v1=${createHmac("sha256", key).update(`${time}.${body}`).digest("hex")}`;
}
