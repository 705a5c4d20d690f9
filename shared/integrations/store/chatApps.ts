import { integrationStore } from "./integrationStore.ts";

export const chatAppTypes = ["feishu", "dingding", "wechat", "lark_intl", "dingtalk", "workwx"] as const;
export type ChatAppType = (typeof chatAppTypes)[number];

/** An application of a chat service. Its sealed fields are `app_secret` and those of its type in `chatAppSecrets`. */
export interface ChatApp {
  type: ChatAppType;
  appId: string;
  /** As it was given; empty: the chat service's own. */
  address: string;
}

export const chatApps = integrationStore<ChatApp>("im-app");
