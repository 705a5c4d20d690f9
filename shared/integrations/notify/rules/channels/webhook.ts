import { channel, webhook as config, toHook } from "./channel.ts";

/** Any program, which gets the task as JSON (contract W 15.3). */
export const webhook = channel({
  field: "webhook_notification_config",
  config,
  ofOlder: ({ webhook_notify: older }) => ({ address: older?.address, token: older?.token }),
  addresses: [
    ["webhook_notification_config", "address"],
    ["webhook_notify", "address"],
  ],
  destinationOf: (given) => ({
    address: given?.address ?? "",
    token: given?.token ?? "",
    secret: given?.secret ?? "",
  }),
  deliveries: ({ address, token, secret }, _message, webhookBody) => {
    const to = toHook(address, webhookBody());
    return [{ ...to, secrets: { address, token, signingKey: secret === "" ? token : secret } }];
  },
});
