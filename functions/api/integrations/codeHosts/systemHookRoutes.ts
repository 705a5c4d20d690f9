import * as z from "zod";
import { hookAddress, secretLine } from "../../../../shared/http/fields.ts";
import { defineRoute } from "../../../../shared/http/route.ts";
import { isObject, message } from "../../../../shared/http/schemas.ts";
import { systemHookEvents } from "../../../../shared/integrations/rules/systemHookEvents.ts";

const events = z.array(
  z.enum(systemHookEvents, `must be one of ${systemHookEvents.join(", ")}`),
  `must be a list of ${systemHookEvents.join(", ")}`,
);

/** A secret that is absent stays; an empty one goes. */
const wanted = z
  .object({
    enabled: z.boolean("must be true or false"),
    address: z
      .union([z.literal(""), hookAddress("address")], "must be a URL such as https://hooks.example.com/slipway")
      .default(""),
    secret: secretLine().optional(),
    events: events.default([]).transform((list) => systemHookEvents.filter((event) => list.includes(event))),
  })
  .superRefine(
    ({ enabled, address, events }, context) => {
      if (enabled !== true) return;
      if (address === "") context.addIssue({ code: "custom", path: ["address"], message: "is required when enabled" });
      if (Array.isArray(events) && events.length === 0)
        context.addIssue({
          code: "custom",
          path: ["events"],
          message: `must name ${systemHookEvents.join(", ")} or both when enabled`,
        });
    },
    { when: isObject },
  );
export type SystemHookBody = z.output<typeof wanted>;

export const systemHook = z
  .object({
    enabled: z.boolean(),
    address: z.string(),
    has_secret: z.boolean(),
    events: z.array(z.enum(systemHookEvents)),
  })
  .meta({ id: "SystemHook" });

const common = {
  path: "/api/aslan/system/webhook/workflow",
  tag: "Notification settings",
  permission: { kind: "systemAdmin" },
} as const;

export const systemHookRoutes = {
  getSystemHook: defineRoute({
    ...common,
    method: "GET",
    summary: "Read the hook that receives the task events of every workflow; disabled and empty at first",
    response: systemHook,
  }),
  setSystemHook: defineRoute({
    ...common,
    method: "POST",
    summary:
      "Set the hook that receives the task events of every workflow; a secret that is not given stays, an empty one goes",
    body: wanted,
    response: message,
    audit: { method: "Update", function: "Notification Settings", detail: () => "system hook", body: "json" },
  }),
};
