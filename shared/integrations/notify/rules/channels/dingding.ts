import * as z from "zod";
import { harmless, markdownLine } from "../harmless.ts";
import { fitted, type Message } from "../message.ts";
import { inLanguage, sentences } from "../words.ts";
import {
  type AnswerCode,
  channel,
  distinctTexts,
  dynamicRecipients,
  flag,
  inputDynamic,
  inputFlag,
  inputTexts,
  numberOf,
  renderedRecipients,
  text,
  textOf,
  texts,
  toHook,
} from "./channel.ts";

interface DingdingDestination {
  hookAddress: string;
  atMobiles: readonly string[];
  isAtAll: boolean;
}

/** The robot of a DingTalk group. */
export const dingding = channel({
  field: "dingding_notification_config",
  config: z.looseObject({ ...dynamicRecipients, hook_address: text, at_mobiles: texts, is_at_all: flag }),
  ofOlder: ({ dingding_webhook: hook_address, at_mobiles, is_at_all }) => ({ hook_address, at_mobiles, is_at_all }),
  input: z.object({ ...inputDynamic, at_mobiles: inputTexts, is_at_all: inputFlag }),
  addresses: [["dingding_notification_config", "hook_address"], ["dingding_webhook"]],
  destinationOf: (config, resolving): DingdingDestination => ({
    hookAddress: config?.hook_address ?? "",
    atMobiles: distinctTexts([...(config?.at_mobiles ?? []), ...renderedRecipients(config, resolving)]),
    isAtAll: config?.is_at_all ?? false,
  }),
  deliveries: (destination, message) => [toHook(destination.hookAddress, messageTo(message, destination))],
  answerCode: ({ errcode, errmsg }): AnswerCode => ({ code: numberOf(errcode), text: textOf(errmsg) }),
  mustHaveCode: true,
});

/** https://open.dingtalk.com/document/orgapp/custom-bot-send-message-type: a request has at most 20,000 bytes. */
const maxBytes = 19_000;

/** A message of a group's robot: a card with a button, or text that mentions people, which cards cannot (contract W 15.5). */
function messageTo(message: Message, destination: DingdingDestination): object {
  return fitted(message, maxBytes, (shown) => build(shown, destination));
}

function build(message: Message, { atMobiles: mobiles, isAtAll }: DingdingDestination): object {
  const title = harmless(message.title);
  const link = `dingtalk://dingtalkclient/page/link?url=${encodeURIComponent(message.link)}&pc_slide=false`;
  // Always Chinese, as the contract has it.
  const label = inLanguage(sentences.moreInformation, "zh");
  const atMobiles = mobiles.map((mobile) => mobile.replace(/[^\d+-]/g, "")).filter((mobile) => mobile !== "");
  if (atMobiles.length === 0 && !isAtAll) {
    const btns = [{ actionURL: link, title: label }];
    return {
      msgtype: "actionCard",
      markdown: null,
      actionCard: { hideAvatar: "0", btnOrientation: "0", text: bodyOf(message), title, btns },
      at: { atMobiles: [], isAtAll: false },
    };
  }
  const names = [...atMobiles.map((mobile) => `@${mobile}`), ...(isAtAll ? ["@all"] : [])].join(" ");
  return {
    msgtype: "markdown",
    markdown: { title, text: `${bodyOf(message)}\n\n${names}\n\n[${label}](${link})` },
    actionCard: null,
    at: { atMobiles, isAtAll },
  };
}

/** The title is in the text too: the one beside it is shown in the list of conversations only. */
function bodyOf({ title, lines, blocks }: Message): string {
  const paragraphs = [
    `### ${harmless(title)}`,
    ...[lines, ...blocks].map((block) => block.map(markdownLine).join("  \n")),
  ];
  return paragraphs.join("\n\n");
}
