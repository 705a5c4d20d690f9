import type { ChatTarget } from "./destination.ts";
import { harmless, markdownLine } from "./harmless.ts";
import { fitted, type Line, type Message } from "./message.ts";
import { inLanguage, sentences } from "./words.ts";

const colours = { good: "green", waiting: "orange", bad: "red" } as const;
/** https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot: a request has at most 20 KB. */
const maxBytes = 19_000;

/** The card of a message (contract W 15.5): the base lines share the first block, each job has its own. */
export function feishuCard(message: Message): object {
  return fitted(message, maxBytes, cardOf);
}

function cardOf({ title, tone, lines, blocks, link, language }: Message): object {
  const label = inLanguage(sentences.moreInformation, language);
  const button = { tag: "button", text: { content: label, tag: "plain_text" }, type: "primary", url: link };
  return {
    config: { wide_screen_mode: true },
    header: { template: colours[tone], title: { content: harmless(title), tag: "plain_text" } },
    i18n_elements: {
      zh_cn: [
        { tag: "div", fields: lines.map(fieldOf) },
        ...blocks.map((block) => ({ tag: "div", fields: block.map(fieldOf) })),
        { tag: "action", actions: [button] },
      ],
    },
  };
}

function fieldOf(line: Line): object {
  return { is_short: false, text: { content: markdownLine(line), tag: "lark_md" } };
}

/** The message of its own that mentions people; empty when there are none. */
export function feishuMention(people: readonly Pick<ChatTarget, "id">[], isAtAll: boolean): string {
  const ids = [...people.map(({ id }) => id), ...(isAtAll ? ["all"] : [])];
  return ids.map((id) => `<at user_id="${id.replace(/["<>&\s]/g, "")}"></at>`).join(" ");
}

/** A text for a group's hook; the older hooks have a form of their own (contract W 15.5). */
export function feishuHookText(hookAddress: string, text: string): object {
  if (hookAddress.includes("bot/v2/hook")) return { msg_type: "text", content: { text } };
  return { title: "", text };
}
