import type { Channel } from "./channel.ts";
import { dingding } from "./dingding.ts";
import { feishu } from "./feishu.ts";
import { feishuApp } from "./feishuApp.ts";
import { feishuPerson } from "./feishuPerson.ts";
import { mail } from "./mail.ts";
import { msteams } from "./msteams.ts";
import { webhook } from "./webhook.ts";
import { wechat } from "./wechat.ts";

/** What notifications go by, by `webhook_type` (contract W 1.6). */
const all = {
  ...{ feishu, feishu_app: feishuApp, feishu_person: feishuPerson },
  ...{ dingding, wechat, msteams, mail, webhook },
};
type Channels = typeof all;

export type WebhookType = keyof Channels;
export const webhookTypes = Object.keys(all) as WebhookType[];
export const channels: Readonly<Record<WebhookType, Channel>> = all;

/** Where a notification of each type goes. */
export type Destination = {
  [T in WebhookType]: { type: T } & ReturnType<Channels[T]["destinationOf"]>;
}[WebhookType];
/** The same when its people are looked up. */
export type ReadyDestination = {
  [T in WebhookType]: { type: T } & Parameters<Channels[T]["deliveries"]>[0];
}[WebhookType];

/** Whether a text is the `webhook_type` of a channel. */
export function isWebhookType(text: string): text is WebhookType {
  return Object.hasOwn(all, text);
}
