import * as z from "zod";
import type { JobKind } from "../jobKind.ts";
import { text } from "../wireFields.ts";

/** A message: an unknown type of hook is stored, and fails its job. */
export const notification = {
  type: "notification",
  words: ["Notification", "通知"],
  schema: z.looseObject({ source: text, webhook_type: text, title: text, content: text }),
  alwaysSelected: true,
} as const satisfies JobKind;
