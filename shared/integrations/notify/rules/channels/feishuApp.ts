import * as z from "zod";
import { channel, chat, chatUsers, dynamicRecipients, flag, inputDynamic, inputObjects, text } from "./channel.ts";
import { appPart, chatTargets, feishuCard, feishuCode, feishuMention } from "./feishuFamily.ts";

/** A Feishu group, by an app. */
export const feishuApp = channel({
  field: "lark_group_notification_config",
  config: z.looseObject({
    ...dynamicRecipients,
    ...{ app_id: text, chat: chat.nullish(), at_users: chatUsers, is_at_all: flag },
  }),
  ofOlder: ({ feishu_app_id: app_id, feishu_chat, lark_at_users: at_users, is_at_all }) => ({
    ...{ app_id, chat: feishu_chat, at_users, is_at_all },
  }),
  input: z.object({ ...inputDynamic, chat_id: text, at_users: inputObjects }),
  recipientsOf: ({ chat_id, ...lists }, before) =>
    typeof chat_id === "string" ? { ...lists, chat: { ...before?.chat, chat_id } } : lists,
  addresses: [],
  destinationOf: (config, resolving) => ({
    appId: config?.app_id ?? "",
    chatId: config?.chat?.chat_id ?? "",
    atUsers: chatTargets(config?.at_users, config, resolving),
    isAtAll: config?.is_at_all ?? false,
  }),
  deliveries: ({ appId, chatId, atUsers, isAtAll }, message) => {
    const receiver = { id: chatId, idType: "chat_id" } as const;
    const mention = feishuMention(atUsers, isAtAll);
    const mentions = mention === "" ? [] : [appPart(receiver, "text", { text: mention })];
    const parts = [appPart(receiver, "interactive", feishuCard(message)), ...mentions];
    return [{ target: `chat ${chatId}`, parts, secrets: { appId } }];
  },
  answerCode: feishuCode,
});
