import type { NotifyCtl, WebhookType } from "./notifyCtl.ts";

/** The configuration object of each type (contract W 1.6). */
export const configFields = {
  feishu: "lark_hook_notification_config",
  feishu_app: "lark_group_notification_config",
  feishu_person: "lark_person_notification_config",
  dingding: "dingding_notification_config",
  wechat: "wechat_notification_config",
  msteams: "msteams_notification_config",
  mail: "mail_notification_config",
  webhook: "webhook_notification_config",
} as const satisfies Record<WebhookType, keyof NotifyCtl>;

/**
 * The setting with the configuration object of its type: built from the older flat fields when it is absent
 * (contract W 1.6). A type without one stays as it is.
 */
export function withConfig(ctl: NotifyCtl): NotifyCtl {
  const type = ctl.webhook_type;
  const build = Object.hasOwn(builders, type) ? builders[type as WebhookType] : undefined;
  if (build === undefined) return ctl;
  const field = configFields[type as WebhookType];
  return (ctl[field] ?? undefined) === undefined ? { ...ctl, [field]: build(ctl) } : ctl;
}

const builders: Record<WebhookType, (ctl: NotifyCtl) => object | undefined> = {
  feishu: ({ feishu_app_id: app_id, feishu_webhook: hook_address, lark_user_ids: at_users, is_at_all }) => ({
    ...{ app_id, hook_address, at_users, is_at_all },
  }),
  feishu_app: ({ feishu_app_id: app_id, feishu_chat: chat, lark_at_users: at_users, is_at_all }) => ({
    ...{ app_id, chat, at_users, is_at_all },
  }),
  feishu_person: ({ feishu_app_id: app_id, lark_at_users: target_users }) => ({ app_id, target_users }),
  dingding: ({ dingding_webhook: hook_address, at_mobiles, is_at_all }) => ({ hook_address, at_mobiles, is_at_all }),
  wechat: ({ weChat_webHook: hook_address, wechat_user_ids: at_users, is_at_all }) => ({
    ...{ hook_address, at_users, is_at_all },
  }),
  // This type has no older fields.
  msteams: () => undefined,
  mail: ({ mail_users: target_users }) => ({ target_users }),
  webhook: ({ webhook_notify: older }) => ({ address: older?.address, token: older?.token }),
};
