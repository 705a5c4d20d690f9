import * as z from "zod";
import { plainLine } from "../harmless.ts";
import type { Line, Message, Piece } from "../message.ts";
import { inLanguage, sentences } from "../words.ts";
import {
  channel,
  dynamicRecipients,
  inputDynamic,
  inputObjects,
  inputTexts,
  type MailUser,
  mailUsers,
  type Resolving,
  renderedRecipients,
  toNobody,
} from "./channel.ts";

/** Whom a mail goes to; users and groups are looked up when it is sent. */
export type MailTarget =
  | { kind: "user"; userId: string; account: string }
  | { kind: "group"; groupId: string }
  | { kind: "address"; address: string };

/** Mail to people, by their addresses at Slipway or any others. */
export const mail = channel({
  field: "mail_notification_config",
  config: z.looseObject({ ...dynamicRecipients, target_users: mailUsers }),
  ofOlder: ({ mail_users: target_users }) => ({ target_users }),
  input: z.object({ ...inputDynamic, user_ids: inputTexts, users: inputObjects }),
  recipientsOf: ({ user_ids, users, ...lists }) => {
    const named = user_ids.map((user_id) => ({ type: "user", user_id }));
    return { ...lists, target_users: users.length > 0 ? users : named };
  },
  addresses: [],
  destinationOf: (config, resolving): { targets: readonly MailTarget[] } => ({
    targets: [
      ...(config?.target_users ?? []).flatMap((user) => mailTarget(user, resolving)),
      ...renderedRecipients(config, resolving).map(
        (text): MailTarget =>
          text.includes("@") ? { kind: "address", address: text } : { kind: "user", userId: text, account: text },
      ),
    ],
  }),
  deliveries: ({ addresses }: { addresses: readonly string[] }, message) => {
    const mail = mailMessage(message);
    if (addresses.length === 0) return [toNobody];
    return addresses.map((to) => ({ target: to, parts: [{ via: "mail" as const, to, mail }], secrets: {} }));
  },
});

function mailTarget(user: MailUser, { creator }: Resolving): MailTarget[] {
  const name = user.user_name?.trim() ?? "";
  switch (user.type ?? "") {
    case "email":
      return name === "" ? [] : [{ kind: "address", address: name }];
    case "group":
      return [{ kind: "group", groupId: user.group_id ?? "" }];
    case "task_creator":
      return creator.email === ""
        ? [{ kind: "user", userId: creator.id, account: "" }]
        : [{ kind: "address", address: creator.email }];
    default:
      return [{ kind: "user", userId: user.user_id ?? "", account: name }];
  }
}

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

/** A mail as text and as HTML (contract W 15.5, decisions 7.8); subject = title. */
function mailMessage({ title, lines, blocks, link, language }: Message): Mail {
  const subject = title.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  const label = inLanguage(sentences.moreInformation, language);
  const all = [lines, ...blocks];
  const text = [subject, ...all.map((block) => block.map(plainLine).join("\n")), `${label}: ${link}`].join("\n\n");
  const paragraphs = all.map((block) => `<p>${block.map(htmlLine).join("<br>\n")}</p>`).join("\n");
  const html = [
    "<!DOCTYPE html>",
    `<html lang="${language}"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body>`,
    `<h3>${escaped(subject)}</h3>`,
    paragraphs,
    `<p><a href="${escaped(link)}">${escaped(label)}</a></p>`,
    "</body></html>",
  ].join("\n");
  return { subject, text: `${text}\n`, html };
}

function htmlLine({ label, value }: Line): string {
  const text = value.map(htmlPiece).join("");
  return label === "" ? text : `<b>${escaped(label)}</b>: ${text}`;
}

function htmlPiece(piece: Piece): string {
  if (typeof piece === "string") return escaped(piece);
  if ("markdown" in piece) return escaped(piece.markdown).replaceAll("\n", "<br>\n");
  const isWebLink = /^https?:\/\//i.test(piece.url);
  return isWebLink ? `<a href="${escaped(piece.url)}">${escaped(piece.text)}</a>` : escaped(piece.text);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
