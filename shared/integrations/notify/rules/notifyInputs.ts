import * as z from "zod";
import { isVariable } from "../../../base/common/placeholders.ts";
import { ApiError } from "../../../base/errors/apiError.ts";
import type { Recipients } from "./channels/channel.ts";
import { channels, isWebhookType } from "./channels/channels.ts";
import { type NotifyCtl, withConfig } from "./notifyCtl.ts";

const inputs = Object.fromEntries(
  Object.values(channels).flatMap(({ field, input }) => (input === undefined ? [] : [[field, input.nullish()]])),
);

/** Whom one start of a workflow notifies instead of the configured recipients (contract W 2.4, `notify_inputs`). */
export const notifyInput = z.looseObject({
  id: z.int("must be the place of the notification in the workflow's list, from 0").min(0, "must not be negative"),
  type: z.string("must be a text").default(""),
  enabled: z.boolean("must be true or false").nullish(),
  ...inputs,
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
  const { field, input: schema, recipientsOf = (given: unknown) => given as Recipients } = channels[input.type];
  const given = input[field];
  if (schema === undefined || given === undefined || given === null) return toggled;
  const filled = withConfig(toggled);
  const before = filled[field] as object | null | undefined;
  const recipients = recipientsOf(given, before);
  requireVariables(recipients.dynamic_recipients ?? [], input.id);
  return { ...filled, [field]: { ...before, ...recipients } };
}

function requireVariables(recipients: readonly string[], id: number): void {
  const wrong = recipients.find((recipient) => !isVariable(recipient.trim()));
  if (wrong === undefined) return;
  throw new ApiError(
    6160,
    `notify_inputs[${id}]: ${JSON.stringify(wrong)} is not a dynamic recipient; give a variable such as {{.workflow.params.owner}}`,
  );
}
