import { expect, test } from "vitest";
import {
  channels,
  isWebhookType,
  webhookTypes,
} from "../../../../../shared/integrations/notify/rules/channels/channels.ts";
import { destinationOf } from "../../../../../shared/integrations/notify/rules/destination.ts";
import { notifyCtl } from "../../../../../shared/integrations/notify/rules/notifyCtl.ts";
import { plannedDeliveries } from "../../../../../shared/integrations/notify/rules/plannedDeliveries.ts";
import { taskMessage } from "../../../../../shared/integrations/notify/rules/taskMessage.ts";
import { noticeWith } from "./notices.ts";

const secrets = {
  hook_address: "https://hooks.example.com/secret-path",
  address: "https://hooks.example.com/secret-path",
  token: "secret-token",
  secret: "secret-key",
};
const resolving = { render: () => "", creator: { id: "u", email: "" }, stageExecutors: [] };

test("channels have configuration objects of their own", () => {
  const fields = webhookTypes.map((type) => channels[type].field);
  expect(new Set(fields).size).toBe(webhookTypes.length);
  expect(isWebhookType("toString")).toBe(false);
});

test.each(webhookTypes)("every address that %s sends to is checked when it is saved", (type) => {
  const { field, config, addresses } = channels[type];
  const read = config.parse(secrets) as Record<string, unknown>;
  const schema = config as unknown as { shape: Record<string, unknown> };
  const sent = Object.keys(read).filter((key) => key in schema.shape && /^https/.test(String(read[key])));
  expect(addresses.filter(([first]) => first === field).map(([, inside]) => inside)).toEqual(sent);
});

test.each(webhookTypes)("what people may read of a delivery by %s has no secret", (type) => {
  const ctl = notifyCtl.parse({ enabled: true, webhook_type: type, [channels[type].field]: secrets });
  const destination = destinationOf(ctl, resolving);
  if (destination === undefined) throw new Error(`${type} leads nowhere`);
  const ready = destination.type === "mail" ? { type: "mail" as const, addresses: ["a@example.com"] } : destination;
  const planned = plannedDeliveries(ready, taskMessage(noticeWith(), "failed"), () => ({ status: "failed" }));
  expect(planned.length).toBeGreaterThan(0);
  for (const { target, parts } of planned) expect(JSON.stringify([target, parts])).not.toMatch(/secret-/);
});
