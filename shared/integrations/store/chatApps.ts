import { integrationStore } from "./integrationStore.ts";

export const chatAppTypes = ["feishu", "dingding", "wechat"] as const;

/** An application of a chat service that messages are sent through (decisions 7.8). Its sealed field is `app_secret`. */
export interface ChatApp {
  type: (typeof chatAppTypes)[number];
  appId: string;
  /** As it was given; empty: the chat service's own. */
  address: string;
}

export const chatApps = integrationStore<ChatApp>("im-app");
