import type { Destination } from "./destination.ts";
import { harmless, markdownLine } from "./harmless.ts";
import { fitted, type Message } from "./message.ts";
import { inLanguage, sentences } from "./words.ts";

type WechatDestination = Extract<Destination, { type: "wechat" }>;

/** https://developer.work.weixin.qq.com/document/path/91770: markdown content has at most 4,096 bytes. */
const maxBytes = 4_096;

/** A message of a group's robot (contract W 15.5); people are mentioned inside its text. */
export function wechatMessage(message: Message, destination: WechatDestination): object {
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
