import * as z from "zod";
import {
  channel,
  distinctTexts,
  dynamicRecipients,
  flag,
  inputDynamic,
  inputFlag,
  inputTexts,
  renderedRecipients,
  text,
  texts,
  toHook,
} from "./channel.ts";
import { feishuCard, feishuCode, feishuMention } from "./feishuFamily.ts";

/** The robot of a Feishu group. */
export const feishu = channel({
  field: "lark_hook_notification_config",
  config: z.looseObject({ ...dynamicRecipients, app_id: text, hook_address: text, at_users: texts, is_at_all: flag }),
  ofOlder: ({ feishu_app_id: app_id, feishu_webhook: hook_address, lark_user_ids: at_users, is_at_all }) => ({
    ...{ app_id, hook_address, at_users, is_at_all },
  }),
  input: z.object({ ...inputDynamic, at_users: inputTexts, is_at_all: inputFlag }),
  addresses: [["lark_hook_notification_config", "hook_address"], ["feishu_webhook"]],
  destinationOf: (config, resolving) => ({
    hookAddress: config?.hook_address ?? "",
    atUsers: distinctTexts([...(config?.at_users ?? []), ...renderedRecipients(config, resolving)]),
    isAtAll: config?.is_at_all ?? false,
  }),
  deliveries: ({ hookAddress, atUsers, isAtAll }, message) => {
    const card = { msg_type: "interactive", card: feishuCard(message) };
    const mention = feishuMention(
      atUsers.map((id) => ({ id })),
      isAtAll,
    );
    return [toHook(hookAddress, card, ...(mention === "" ? [] : [hookText(hookAddress, mention)]))];
  },
  answerCode: feishuCode,
});

/** A text for a group's hook; the older hooks have a form of their own (contract W 15.5). */
function hookText(hookAddress: string, words: string): object {
  if (hookAddress.includes("bot/v2/hook")) return { msg_type: "text", content: { text: words } };
  return { title: "", text: words };
}
