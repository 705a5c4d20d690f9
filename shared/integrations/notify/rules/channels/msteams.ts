import * as z from "zod";
import { harmless, markdownLine } from "../harmless.ts";
import { fitted, type Message } from "../message.ts";
import { inLanguage, sentences } from "../words.ts";
import {
  channel,
  distinctTexts,
  dynamicRecipients,
  inputDynamic,
  inputTexts,
  renderedRecipients,
  text,
  texts,
  toHook,
} from "./channel.ts";

/** A channel of Microsoft Teams. */
export const msteams = channel({
  field: "msteams_notification_config",
  config: z.looseObject({ ...dynamicRecipients, hook_address: text, at_emails: texts }),
  input: z.object({ ...inputDynamic, at_emails: inputTexts }),
  addresses: [["msteams_notification_config", "hook_address"]],
  destinationOf: (config, resolving): { hookAddress: string; atEmails: readonly string[] } => ({
    hookAddress: config?.hook_address ?? "",
    atEmails: distinctTexts([...(config?.at_emails ?? []), ...renderedRecipients(config, resolving)]),
  }),
  deliveries: ({ hookAddress, atEmails }, message) => [toHook(hookAddress, messageTo(message, atEmails))],
});

/** https://learn.microsoft.com/microsoftteams/limits-specifications-teams: a message of a connector has at most 28 KB. */
const maxBytes = 27_000;

/** An Adaptive Card 1.4 with the title, the text, the people mentioned and one link (contract W 15.5, decisions 7.8). */
function messageTo(message: Message, atEmails: readonly string[]): object {
  return fitted(message, maxBytes, (shown) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: cardOf(shown, atEmails.map(mention)),
      },
    ],
  }));
}

function cardOf(
  { title, tone, isFailure, lines, blocks, link }: Message,
  mentions: ReturnType<typeof mention>[],
): object {
  const color = tone === "good" ? "good" : isFailure ? "attention" : "warning";
  const body = [lines, ...blocks].map((block) => block.map(markdownLine).join("\n\n")).join("\n\n");
  const text = { type: "TextBlock", wrap: true };
  return {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      { ...text, text: harmless(title), size: "large", weight: "bolder", color },
      { ...text, text: body },
      ...(mentions.length === 0 ? [] : [{ ...text, text: mentions.map((one) => one.text).join(" ") }]),
    ],
    // Always Chinese, as the contract has it.
    actions: [{ type: "Action.OpenUrl", title: inLanguage(sentences.moreInformation, "zh"), url: link }],
    msteams: { width: "Full", entities: mentions },
  };
}

function mention(address: string) {
  const name = address.replace(/[<>]/g, "");
  return { type: "mention", text: `<at>${name}</at>`, mentioned: { id: name, name } } as const;
}
