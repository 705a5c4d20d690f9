import { plainLine } from "./harmless.ts";
import type { Line, Message, Piece } from "./message.ts";
import { inLanguage, sentences } from "./words.ts";

export interface Mail {
  subject: string;
  text: string;
  html: string;
}

/** A mail as text and as HTML (contract W 15.5, decisions 7.8); subject = title. */
export function mailMessage({ title, lines, blocks, link, language }: Message): Mail {
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
