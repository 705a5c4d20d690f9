import * as z from "zod";
import { isVariable } from "../../../base/common/placeholders.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { NotifyCtl, WebhookType } from "./notifyCtl.ts";
import { isWebhookType } from "./notifyCtl.ts";
import { configFields, withConfig } from "./withConfig.ts";

const texts = z
  .array(z.string("must be a text"), "must be a list of texts")
  .nullish()
  .transform((list) => list ?? []);
const objects = z
  .array(z.looseObject({}), "must be a list")
  .nullish()
  .transform((list) => list ?? []);
const flag = z
  .boolean("must be true or false")
  .nullish()
  .transform((value) => value ?? false);
const dynamic = { dynamic_recipients: texts };

/** Whom one start of a workflow notifies instead of the configured recipients (contract W 2.4, `notify_inputs`). */
export const notifyInput = z.looseObject({
  id: z.int("must be the place of the notification in the workflow's list, from 0").min(0, "must not be negative"),
  type: z.string("must be a text").default(""),
  enabled: z.boolean("must be true or false").nullish(),
  lark_hook_notification_config: z.object({ ...dynamic, at_users: texts, is_at_all: flag }).nullish(),
  lark_group_notification_config: z
    .object({ ...dynamic, chat_id: z.string("must be a text").nullish(), at_users: objects })
    .nullish(),
  lark_person_notification_config: z.object({ ...dynamic, users: objects }).nullish(),
  dingding_notification_config: z.object({ ...dynamic, at_mobiles: texts, is_at_all: flag }).nullish(),
  wechat_notification_config: z.object({ at_users: texts, is_at_all: flag }).nullish(),
  msteams_notification_config: z.object({ ...dynamic, at_emails: texts }).nullish(),
  mail_notification_config: z.object({ ...dynamic, user_ids: texts, users: objects }).nullish(),
});
export type NotifyInput = z.output<typeof notifyInput>;

/**
 * The settings with the recipients of one start. An input of an unknown place, or of another type than the setting
 * there, changes nothing; addresses of hooks and ids of apps never change (contract W 2.4).
 * @throws ApiError 6160 for a dynamic recipient that is no variable
 */
export function withNotifyInputs(ctls: readonly NotifyCtl[], inputs: readonly NotifyInput[]): NotifyCtl[] {
  const changed = [...ctls];
  for (const input of inputs) {
    const ctl = changed[input.id];
    if (ctl !== undefined && ctl.webhook_type === input.type) changed[input.id] = withInput(ctl, input);
  }
  return changed;
}

function withInput(ctl: NotifyCtl, input: NotifyInput): NotifyCtl {
  const toggled = typeof input.enabled === "boolean" ? { ...ctl, enabled: input.enabled } : ctl;
  if (!isWebhookType(input.type)) return toggled;
  const filled = withConfig(toggled);
  const recipients = recipientsOf[input.type](input, filled);
  if (recipients === undefined) return toggled;
  requireVariables(recipients.dynamic_recipients ?? [], input.id);
  const field = configFields[input.type];
  return { ...filled, [field]: { ...filled[field], ...recipients } };
}

interface Recipients {
  dynamic_recipients?: string[];
  [list: string]: unknown;
}

/** What an input puts in the place of the configured recipients; undefined when it says nothing about them. */
const recipientsOf: Record<WebhookType, (input: NotifyInput, ctl: NotifyCtl) => Recipients | undefined> = {
  feishu: (input) => input.lark_hook_notification_config ?? undefined,
  feishu_app: ({ lark_group_notification_config: given }, { lark_group_notification_config: before }) => {
    if (!given) return undefined;
    const { chat_id, ...lists } = given;
    return typeof chat_id === "string" ? { ...lists, chat: { ...before?.chat, chat_id } } : lists;
  },
  feishu_person: ({ lark_person_notification_config: given }) => {
    if (!given) return undefined;
    const { users: target_users, ...lists } = given;
    return { ...lists, target_users };
  },
  dingding: (input) => input.dingding_notification_config ?? undefined,
  wechat: (input) => input.wechat_notification_config ?? undefined,
  msteams: (input) => input.msteams_notification_config ?? undefined,
  mail: ({ mail_notification_config: given }) => {
    if (!given) return undefined;
    const { user_ids, users, ...lists } = given;
    const named = user_ids.map((user_id) => ({ type: "user", user_id }));
    return { ...lists, target_users: users.length > 0 ? users : named };
  },
  webhook: () => undefined,
};

function requireVariables(recipients: readonly string[], id: number): void {
  const wrong = recipients.find((recipient) => !isVariable(recipient.trim()));
  if (wrong === undefined) return;
  throw new ApiError(
    6160,
    `notify_inputs[${id}]: ${JSON.stringify(wrong)} is not a dynamic recipient; give a variable such as {{.workflow.params.owner}}`,
  );
}
