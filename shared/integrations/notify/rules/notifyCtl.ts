import * as z from "zod";
import { webhookTypes } from "../../../base/common/webhookTypes.ts";

export type WebhookType = (typeof webhookTypes)[number];

/** Clients written in Go send `null` for an empty list and for an absent object. */
const texts = z.array(z.string("must be a text"), "must be a list of texts").nullish();
const text = z.string("must be a text").nullish();
const flag = z.boolean("must be true or false").nullish();
const common = { dynamic_recipients: texts };

/** A user of the chat service; `is_executor` means the user who started the task, `is_stage_executor` a stage's. */
const chatUser = z.looseObject({ id: text, id_type: text, name: text, is_executor: flag, is_stage_executor: flag });
/** A user as approvals name them (contract W 1.4). */
const mailUser = z.looseObject({ type: text, user_id: text, user_name: text, group_id: text, group_name: text });
const chatUsers = z.array(chatUser, "must be a list").nullish();
const mailUsers = z.array(mailUser, "must be a list").nullish();
const webhook = z.looseObject({ address: text, token: text, secret: text });
const chat = z.looseObject({ chat_id: text, chat_name: text });

/**
 * A notification setting as clients send it and as it is stored and returned (contract W 1.6). What is not named here
 * stays untouched.
 */
export const notifyCtl = z
  .looseObject({
    enabled: z.boolean("must be true or false").default(false),
    webhook_type: z.string("must be a text").default(""),
    notify_type: z
      .array(z.string("must be a text"), "must be a list of texts")
      .nullish()
      .transform((types) => types ?? []),
    lark_hook_notification_config: z
      .looseObject({ ...common, app_id: text, hook_address: text, at_users: texts, is_at_all: flag })
      .nullish(),
    lark_group_notification_config: z
      .looseObject({ ...common, app_id: text, chat: chat.nullish(), at_users: chatUsers, is_at_all: flag })
      .nullish(),
    lark_person_notification_config: z.looseObject({ ...common, app_id: text, target_users: chatUsers }).nullish(),
    wechat_notification_config: z.looseObject({ hook_address: text, at_users: texts, is_at_all: flag }).nullish(),
    dingding_notification_config: z
      .looseObject({ ...common, hook_address: text, at_mobiles: texts, is_at_all: flag })
      .nullish(),
    msteams_notification_config: z.looseObject({ ...common, hook_address: text, at_emails: texts }).nullish(),
    mail_notification_config: z.looseObject({ ...common, target_users: mailUsers }).nullish(),
    webhook_notification_config: webhook.nullish(),
    // The older flat fields.
    weChat_webHook: text,
    dingding_webhook: text,
    feishu_app_id: text,
    feishu_webhook: text,
    feishu_chat: chat.nullish(),
    mail_users: mailUsers,
    webhook_notify: webhook.nullish(),
    at_mobiles: texts,
    wechat_user_ids: texts,
    lark_user_ids: texts,
    lark_at_users: chatUsers,
    is_at_all: flag,
  })
  .superRefine(({ enabled, webhook_type: type }, context) => {
    if (!enabled || isWebhookType(type)) return;
    context.addIssue({
      code: "custom",
      path: ["webhook_type"],
      message: `must be one of ${webhookTypes.join(", ")}`,
    });
  });

export type NotifyCtl = z.output<typeof notifyCtl>;
export type ChatUser = z.output<typeof chatUser>;
export type MailUser = z.output<typeof mailUser>;

export function isWebhookType(text: string): text is WebhookType {
  return webhookTypes.some((type) => type === text);
}

/**
 * Stored settings as they are read when something happens. One that cannot be read never fires, and keeps its place:
 * places identify deliveries.
 */
export function readNotifyCtls(stored: readonly unknown[]): NotifyCtl[] {
  return stored.map((one) => {
    const read = notifyCtl.safeParse(one);
    return read.success ? read.data : { enabled: false, webhook_type: "", notify_type: [] };
  });
}
