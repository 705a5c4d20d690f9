import * as z from "zod";
import { harmless, markdownLine } from "../harmless.ts";
import { fitted, type Message } from "../message.ts";
import { inLanguage, sentences } from "../words.ts";
import {
  type AnswerCode,
  channel,
  distinctTexts,
  flag,
  inputFlag,
  inputTexts,
  numberOf,
  text,
  textOf,
  texts,
  toHook,
} from "./channel.ts";

interface WechatDestination {
  hookAddress: string;
  atUsers: readonly string[];
  isAtAll: boolean;
}

/** The robot of a group of WeChat Work. */
export const wechat = channel({
  field: "wechat_notification_config",
  config: z.looseObject({ hook_address: text, at_users: texts, is_at_all: flag }),
  ofOlder: ({ weChat_webHook: hook_address, wechat_user_ids: at_users, is_at_all }) => ({
    ...{ hook_address, at_users, is_at_all },
  }),
  input: z.object({ at_users: inputTexts, is_at_all: inputFlag }),
  addresses: [["wechat_notification_config", "hook_address"], ["weChat_webHook"]],
  destinationOf: (config): WechatDestination => ({
    hookAddress: config?.hook_address ?? "",
    atUsers: distinctTexts(config?.at_users ?? []),
    isAtAll: config?.is_at_all ?? false,
  }),
  deliveries: (destination, message) => [toHook(destination.hookAddress, messageTo(message, destination))],
  answerCode: ({ errcode, errmsg }): AnswerCode => ({ code: numberOf(errcode), text: textOf(errmsg) }),
});

/** https://developer.work.weixin.qq.com/document/path/91770: markdown content has at most 4,096 bytes. */
const maxBytes = 4_096;

/** A message of a group's robot (contract W 15.5); people are mentioned inside its text. */
function messageTo(message: Message, destination: WechatDestination): object {
  return fitted(
    message,
    maxBytes,
    (shown) => ({ msgtype: "markdown", markdown: { content: contentOf(shown, destination) }, template_card: {} }),
    ({ markdown }) => new TextEncoder().encode(markdown.content).length,
  );
}

function contentOf({ title, lines, blocks, link, language }: Message, { atUsers, isAtAll }: WechatDestination): string {
  const mentions = [...atUsers, ...(isAtAll ? ["all"] : [])].map((id) => `<@${id.replace(/[<>\s]/g, "")}>`).join(" ");
  return [
    `### ${harmless(title)}`,
    ...[lines, ...blocks].map((block) => block.map(markdownLine).join("\n")),
    ...(mentions === "" ? [] : [mentions]),
    `[${inLanguage(sentences.moreInformation, language)}](${link})`,
  ].join("\n\n");
}
