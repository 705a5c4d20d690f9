import { line, type Message } from "./message.ts";
import { taskLink } from "./taskLinks.ts";
import type { TaskNotice } from "./taskNotice.ts";

/** The message of a job of type `notification`: title and content are its author's own (contract W 5). */
export function customMessage(notice: TaskNotice, { title, content }: { title: string; content: string }): Message {
  return {
    title,
    tone: "good",
    isFailure: false,
    lines: [line("", { markdown: content })],
    blocks: [],
    link: taskLink(notice),
    language: notice.language,
  };
}
