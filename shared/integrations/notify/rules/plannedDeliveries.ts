import type { Addressed } from "./channels/channel.ts";
import { channels, type ReadyDestination, type WebhookType } from "./channels/channels.ts";
import type { Message } from "./message.ts";

/** What is delivered, and recorded, by itself: of several people each. */
export interface PlannedDelivery extends Addressed {
  type: WebhookType;
}

/** @param webhookBody the JSON for type `webhook`; the other types have the message */
export function plannedDeliveries(
  destination: ReadyDestination,
  message: Message,
  webhookBody: () => object,
): PlannedDelivery[] {
  const { type } = destination;
  return channels[type].deliveries(destination, message, webhookBody).map((one) => ({ type, ...one }));
}
