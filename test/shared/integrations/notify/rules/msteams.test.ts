import { expect, test } from "vitest";
import * as z from "zod";
import type { NoticeEvent } from "../../../../../shared/integrations/notify/rules/firingCtls.ts";
import { plannedDeliveries } from "../../../../../shared/integrations/notify/rules/plannedDeliveries.ts";
import { taskMessage } from "../../../../../shared/integrations/notify/rules/taskMessage.ts";
import { deploy, noticeWith } from "./notices.ts";

/** Of every element of Adaptive Cards 1.4, as https://adaptivecards.io/schemas/1.4.0/adaptive-card.json has it. */
const element = {
  height: z.enum(["auto", "stretch"]).optional(),
  separator: z.boolean().optional(),
  spacing: z.enum(["default", "none", "small", "medium", "large", "extraLarge", "padding"]).optional(),
  id: z.string().optional(),
  isVisible: z.boolean().optional(),
};
const textBlock = z.strictObject({
  ...element,
  type: z.literal("TextBlock"),
  text: z.string(),
  color: z.enum(["default", "dark", "light", "accent", "good", "warning", "attention"]).optional(),
  fontType: z.enum(["default", "monospace"]).optional(),
  horizontalAlignment: z.enum(["left", "center", "right"]).optional(),
  isSubtle: z.boolean().optional(),
  maxLines: z.number().optional(),
  size: z.enum(["default", "small", "medium", "large", "extraLarge"]).optional(),
  weight: z.enum(["default", "lighter", "bolder"]).optional(),
  wrap: z.boolean().optional(),
});
const openUrl = z.strictObject({
  type: z.literal("Action.OpenUrl"),
  url: z.url(),
  title: z.string().optional(),
  iconUrl: z.string().optional(),
  id: z.string().optional(),
  style: z.enum(["default", "positive", "destructive"]).optional(),
});
/**
 * `msteams` is Teams' own part:
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format
 */
const card = z.strictObject({
  $schema: z.literal("http://adaptivecards.io/schemas/adaptive-card.json"),
  type: z.literal("AdaptiveCard"),
  version: z.literal("1.4"),
  body: z.array(textBlock).min(1),
  actions: z.array(openUrl).max(6),
  msteams: z.strictObject({
    width: z.literal("Full"),
    entities: z.array(
      z.strictObject({
        type: z.literal("mention"),
        text: z.string().regex(/^<at>[^<>]+<\/at>$/),
        mentioned: z.strictObject({ id: z.string().min(1), name: z.string().min(1) }),
      }),
    ),
  }),
});
/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using */
const sent = z.strictObject({
  type: z.literal("message"),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal("application/vnd.microsoft.card.adaptive"),
      contentUrl: z.null(),
      content: card,
    }),
  ]),
});
/** https://learn.microsoft.com/microsoftteams/limits-specifications-teams */
const mostBytes = 28 * 1024;

const stage = { name: "deploy", status: "failed", startTime: 0, endTime: 0, error: "" } as const;

test.each<[NoticeEvent, string[], Parameters<typeof noticeWith>[0]]>([
  ["failed", ["ada@example.com", "<at>bob@example.com"], {}],
  ["passed", [], { remark: "发布".repeat(2048) }],
  ["pause", [], { remark: "# head\n**bold** [a](https://x) <at>everybody</at> ](" }],
  ["wait_for_approval", ["ada@example.com"], { pendingStage: "ship" }],
  ["cancelled", [], { stages: [{ ...stage, jobs: Array.from({ length: 400 }, () => deploy) }] }],
])("%s is a card that Microsoft's schema of Adaptive Cards and Teams' limits take", (event, atEmails, changes) => {
  const teams = { type: "msteams", hookAddress: "https://t", atEmails } as const;
  const [planned] = plannedDeliveries(teams, taskMessage(noticeWith(changes), event), () => ({}));
  const [part] = planned?.parts ?? [];
  const text = part?.via === "hook" ? part.body : "";
  expect(Buffer.byteLength(text)).toBeLessThan(mostBytes);
  const { content } = sent.parse(JSON.parse(text)).attachments[0];
  const shown = content.body.map((one) => one.text).join("\n");
  for (const mention of content.msteams.entities) expect(shown).toContain(mention.text);
  // A mention that stands in no entity is shown as text, and mentions nobody.
  expect(shown.match(/<at>/g)?.length ?? 0).toBe(content.msteams.entities.length);
});
