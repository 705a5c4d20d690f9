import * as z from "zod";
import { olderFields } from "./channels/channel.ts";
import { channels, isWebhookType, webhookTypes } from "./channels/channels.ts";

const configs = Object.fromEntries(Object.values(channels).map(({ field, config }) => [field, config.nullish()]));

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
    ...olderFields,
    ...configs,
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

/**
 * The setting with the configuration object of its type: built from the older flat fields when it is absent
 * (contract W 1.6). A type without one stays as it is.
 */
export function withConfig(ctl: NotifyCtl): NotifyCtl {
  if (!isWebhookType(ctl.webhook_type)) return ctl;
  const { field, ofOlder } = channels[ctl.webhook_type];
  return ctl[field] === undefined || ctl[field] === null ? { ...ctl, [field]: ofOlder?.(ctl) } : ctl;
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
