import type { Language } from "./taskNotice.ts";

/** A piece of a line: plain text, text that leads somewhere, or text that its author wrote for the chat service. */
export type Piece = string | { text: string; url: string } | { markdown: string };

/** A line of a message; without a label it is text of its own. */
export interface Line {
  label: string;
  value: readonly Piece[];
}

/** A message before it takes the form of a chat service. Texts are as users wrote them; each form makes them harmless. */
export interface Message {
  title: string;
  tone: "good" | "waiting" | "bad";
  /** Failed and rejected work differs from what merely ended early where a service knows three colours. */
  isFailure: boolean;
  lines: readonly Line[];
  /** One block per job. */
  blocks: readonly (readonly Line[])[];
  /** Where the message's one button leads. */
  link: string;
  language: Language;
}

export function line(label: string, ...value: Piece[]): Line {
  return { label, value };
}

/**
 * The longest message of a kind that its service takes: blocks are left out from the end until it fits.
 * @param maxBytes of the form that `build` makes
 */
export function fitted<T>(message: Message, maxBytes: number, build: (message: Message) => T): T {
  for (let kept = message.blocks.length; ; kept--) {
    const isWhole = kept === message.blocks.length;
    const blocks = isWhole ? message.blocks : [...message.blocks.slice(0, kept), [line("", "…")]];
    const built = build({ ...message, blocks });
    if (kept === 0 || new TextEncoder().encode(JSON.stringify(built)).length <= maxBytes) return built;
  }
}
