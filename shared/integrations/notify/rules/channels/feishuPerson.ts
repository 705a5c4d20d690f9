import * as z from "zod";
import { channel, chatUsers, dynamicRecipients, inputDynamic, inputObjects, text, toNobody } from "./channel.ts";
import { appPart, chatTargets, feishuCard, feishuCode } from "./feishuFamily.ts";

/** People at Feishu, by an app. */
export const feishuPerson = channel({
  field: "lark_person_notification_config",
  config: z.looseObject({ ...dynamicRecipients, app_id: text, target_users: chatUsers }),
  ofOlder: ({ feishu_app_id: app_id, lark_at_users: target_users }) => ({ app_id, target_users }),
  input: z.object({ ...inputDynamic, users: inputObjects }),
  recipientsOf: ({ users: target_users, ...lists }) => ({ ...lists, target_users }),
  addresses: [],
  destinationOf: (config, resolving) => ({
    appId: config?.app_id ?? "",
    targets: chatTargets(config?.target_users, config, resolving),
  }),
  deliveries: ({ appId, targets }, message) => {
    const card = feishuCard(message);
    if (targets.length === 0) return [toNobody];
    return targets.map(({ id, idType }) => ({
      ...{ target: `${idType} ${id}`, secrets: { appId } },
      parts: [appPart({ id, idType }, "interactive", card)],
    }));
  },
  answerCode: feishuCode,
});
