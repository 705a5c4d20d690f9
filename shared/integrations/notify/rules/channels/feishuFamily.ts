import { harmless, markdownLine } from "../harmless.ts";
import { fitted, type Line, type Message } from "../message.ts";
import { inLanguage, sentences } from "../words.ts";
import {
  type AnswerCode,
  type ChatTarget,
  type ChatUser,
  numberOf,
  type Part,
  type Resolving,
  renderedRecipients,
  textOf,
} from "./channel.ts";

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

/** People of a setting, each once. */
export function chatTargets(
  users: readonly ChatUser[] | null | undefined,
  config: Parameters<typeof renderedRecipients>[0],
  resolving: Resolving,
): readonly ChatTarget[] {
  const { creator, stageExecutors } = resolving;
  const named = (users ?? []).flatMap((user): ChatTarget[] => {
    const starter = user.is_executor === true ? [creator.email] : [];
    if (user.is_stage_executor === true) return [...starter, ...stageExecutors].flatMap(byMail);
    if (user.is_executor === true) return starter.flatMap(byMail);
    const id = user.id?.trim() ?? "";
    return id === "" ? [] : [{ id, idType: idTypeOf(id, user.id_type ?? ""), name: user.name ?? "" }];
  });
  const dynamic = renderedRecipients(config, resolving).map((id) => ({ id, idType: idTypeOf(id, ""), name: "" }));
  const byId = new Map([...named, ...dynamic].map((target) => [`${target.idType} ${target.id}`, target]));
  return [...byId.values()];
}

function byMail(address: string): ChatTarget[] {
  return address === "" ? [] : [{ id: address, idType: "email", name: "" }];
}

/** Feishu's ids tell by their first letters what they are; https://open.feishu.cn/document/home/user-identity-introduction */
function idTypeOf(id: string, given: string): ChatTarget["idType"] {
  if (given === "open_id" || given === "user_id" || given === "union_id" || given === "email") return given;
  if (id.includes("@")) return "email";
  if (id.startsWith("ou_")) return "open_id";
  return id.startsWith("on_") ? "union_id" : "user_id";
}

/** A message by an app. */
export function appPart(
  receiver: Extract<Part, { via: "app" }>["receiver"],
  kind: "interactive" | "text",
  content: object,
): Part {
  return { via: "app", receiver, kind, content: JSON.stringify(content) };
}

/** The code of an answer, which older hooks call `StatusCode`. */
export function feishuCode(answer: Readonly<Record<string, unknown>>): AnswerCode {
  return { code: numberOf(answer.code) ?? numberOf(answer.StatusCode), text: textOf(answer.msg) };
}
