import * as z from "zod";
import type { JobKind } from "../../definition/jobKind.ts";
import { text } from "../../definition/wireFields.ts";

/** A message. A type `webhook` is stored, and fails its job (decisions 19.9). */
export const kind = {
  type: "notification",
  words: ["Notification", "通知"],
  schema: z.looseObject({
    source: text,
    /** Of a channel, which is checked where the channels are known. */
    webhook_type: text,
    title: text,
    content: text,
  }),
  alwaysSelected: true,
} as const satisfies JobKind;
