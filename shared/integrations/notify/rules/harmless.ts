import type { Line, Piece } from "./message.ts";

/**
 * Text that people wrote (remarks, names, commit messages), safe inside the markdown of a chat service: it mentions
 * no one, contains no tags and hides no link behind a text. One line stays one line.
 */
export function harmless(text: string): string {
  return text
    .replace(/\s*[\r\n\u2028\u2029]+\s*/gu, " ")
    .replaceAll("<", "\u2039")
    .replaceAll(">", "\u203a")
    .replaceAll("](", "] (")
    .trim();
}

/** `**label**: value` with links, as every chat service reads it. */
export function markdownLine({ label, value }: Line): string {
  const text = value.map(markdownPiece).join("");
  return label === "" ? text : `**${harmless(label)}**: ${text}`;
}

function markdownPiece(piece: Piece): string {
  // Blanks between two links belong to the text.
  if (typeof piece === "string") return piece === " " ? piece : harmless(piece);
  return "markdown" in piece ? piece.markdown : `[${harmless(piece.text)}](${linkTarget(piece.url)})`;
}

/** A link that cannot end before its end. */
function linkTarget(url: string): string {
  return url.replace(/[\s()<>]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `label: value` for what is shown as plain text. */
export function plainLine({ label, value }: Line): string {
  const text = value.map(plainPiece).join("");
  return label === "" ? text : `${label}: ${text}`;
}

function plainPiece(piece: Piece): string {
  if (typeof piece === "string") return piece;
  return "markdown" in piece ? piece.markdown : `${piece.text} (${piece.url})`;
}
