/** What notifications go by (contract W 1.6). */
export const webhookTypes = [
  "feishu",
  "feishu_app",
  "feishu_person",
  "dingding",
  "wechat",
  "msteams",
  "mail",
  "webhook",
] as const;
