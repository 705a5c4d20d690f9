import type { CommitStatus } from "./commitStatus.ts";
import type { ChatTarget, Destination } from "./destination.ts";
import { dingdingMessage } from "./dingdingMessage.ts";
import { feishuCard, feishuHookText, feishuMention } from "./feishuCard.ts";
import { harmless, markdownLine } from "./harmless.ts";
import { type Mail, mailMessage } from "./mailMessage.ts";
import { fitted, type Message } from "./message.ts";
import { msteamsCard } from "./msteamsCard.ts";
import type { WebhookType } from "./notifyCtl.ts";
import { inLanguage, sentences } from "./words.ts";

type WechatDestination = Extract<Destination, { type: "wechat" }>;

/** https://developer.work.weixin.qq.com/document/path/91770: markdown content has at most 4,096 bytes. */
const maxBytes = 4_096;

/** A message of a group's robot (contract W 15.5); people are mentioned inside its text. */
function wechatMessage(message: Message, destination: WechatDestination): object {
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

/** A destination whose people are looked up. */
export type ReadyDestination = Exclude<Destination, { type: "mail" }> | { type: "mail"; addresses: readonly string[] };

/** One thing that is sent; what a delivery has several of is sent in order. */
export type Part =
  | { via: "hook"; body: string }
  | {
      via: "app";
      receiver: { id: string; idType: ChatTarget["idType"] | "chat_id" };
      kind: "interactive" | "text";
      content: string;
    }
  | { via: "mail"; to: string; mail: Mail }
  | { via: "commit-status"; status: CommitStatus };

/** What is delivered, and recorded, by itself: of several people each. */
export interface PlannedDelivery {
  type: WebhookType;
  /** Tells the deliveries of one setting from each other; readable, and without secrets. */
  target: string;
  parts: readonly Part[];
  /** What sending needs and no user may read. */
  secrets: { address?: string; token?: string; signingKey?: string; appId?: string };
}

/** @param webhookBody the JSON for type `webhook`; the other types have the message */
export function plannedDeliveries(
  destination: ReadyDestination,
  message: Message,
  webhookBody: () => object,
): PlannedDelivery[] {
  const { type } = destination;
  switch (destination.type) {
    case "webhook": {
      const { address, token, secret } = destination;
      const signingKey = secret === "" ? token : secret;
      return [{ type, target: hostOf(address), parts: [hook(webhookBody())], secrets: { address, token, signingKey } }];
    }
    case "feishu": {
      const { hookAddress: address, atUsers, isAtAll } = destination;
      const card = hook({ msg_type: "interactive", card: feishuCard(message) });
      const text = feishuMention(
        atUsers.map((id) => ({ id })),
        isAtAll,
      );
      const mention = text === "" ? [] : [hook(feishuHookText(address, text))];
      return [{ type, target: hostOf(address), parts: [card, ...mention], secrets: { address } }];
    }
    case "feishu_app": {
      const { appId, chatId, atUsers, isAtAll } = destination;
      const receiver = { id: chatId, idType: "chat_id" } as const;
      const text = feishuMention(atUsers, isAtAll);
      const mention = text === "" ? [] : [app(receiver, "text", { text })];
      return [
        {
          type,
          target: `chat ${chatId}`,
          parts: [app(receiver, "interactive", feishuCard(message)), ...mention],
          secrets: { appId },
        },
      ];
    }
    case "feishu_person": {
      const card = feishuCard(message);
      if (destination.targets.length === 0) return [toNobody(type)];
      return destination.targets.map(({ id, idType }) => ({
        ...{ type, target: `${idType} ${id}`, secrets: { appId: destination.appId } },
        parts: [app({ id, idType }, "interactive", card)],
      }));
    }
    case "mail": {
      const mail = mailMessage(message);
      if (destination.addresses.length === 0) return [toNobody(type)];
      return destination.addresses.map((to) => ({ type, target: to, parts: [{ via: "mail", to, mail }], secrets: {} }));
    }
    case "dingding":
      return [hooked(type, destination.hookAddress, dingdingMessage(message, destination))];
    case "wechat":
      return [hooked(type, destination.hookAddress, wechatMessage(message, destination))];
    case "msteams":
      return [hooked(type, destination.hookAddress, msteamsCard(message, destination))];
  }
}

/** Recorded all the same: users who wonder why nothing came can read why. */
function toNobody(type: WebhookType): PlannedDelivery {
  return { type, target: "nobody", parts: [], secrets: {} };
}

function hooked(type: WebhookType, address: string, body: object): PlannedDelivery {
  return { type, target: hostOf(address), parts: [hook(body)], secrets: { address } };
}

function hook(body: object): Part {
  return { via: "hook", body: JSON.stringify(body) };
}

function app(receiver: Extract<Part, { via: "app" }>["receiver"], kind: "interactive" | "text", content: object): Part {
  return { via: "app", receiver, kind, content: JSON.stringify(content) };
}

/** The host alone: paths and queries of hooks are their secrets. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? "no address";
}
