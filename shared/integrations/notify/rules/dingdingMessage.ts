import type { Destination } from "./destination.ts";
import { harmless, markdownLine } from "./harmless.ts";
import { fitted, type Message } from "./message.ts";
import { inLanguage, sentences } from "./words.ts";

type DingdingDestination = Extract<Destination, { type: "dingding" }>;

/** https://open.dingtalk.com/document/orgapp/custom-bot-send-message-type: a request has at most 20,000 bytes. */
const maxBytes = 19_000;

/** A message of a group's robot: a card with a button, or text that mentions people, which cards cannot (contract W 15.5). */
export function dingdingMessage(message: Message, destination: DingdingDestination): object {
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
