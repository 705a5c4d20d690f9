import type { Resolving } from "./channels/channel.ts";
import { channels, type Destination, isWebhookType } from "./channels/channels.ts";
import { type NotifyCtl, withConfig } from "./notifyCtl.ts";

/** @returns undefined for a setting whose type is none of ours */
export function destinationOf(ctl: NotifyCtl, resolving: Resolving): Destination | undefined {
  const filled = withConfig(ctl);
  const type = filled.webhook_type;
  if (!isWebhookType(type)) return undefined;
  const { field, destinationOf: resolve } = channels[type];
  return { type, ...resolve(filled[field], resolving) } as Destination;
}
