import * as z from "zod";
import { webhookTypes } from "../../../base/common/webhookTypes.ts";
import type { JobKind } from "../jobKind.ts";
import { text } from "../wireFields.ts";

/** A message. A type `webhook` is stored, and fails its job (decisions 19.9). */
export const notification = {
  type: "notification",
  words: ["Notification", "通知"],
  schema: z.looseObject({
    source: text,
    webhook_type: z.enum(webhookTypes, `must be one of ${webhookTypes.join(", ")}`),
    title: text,
    content: text,
  }),
  alwaysSelected: true,
} as const satisfies JobKind;
