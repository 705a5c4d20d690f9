import { goDurationText } from "../../../base/common/goDurationText.ts";
import type { NoticeEvent } from "./firingCtls.ts";
import { jobLines } from "./jobLines.ts";
import { type Line, line, type Message } from "./message.ts";
import { taskLink } from "./taskLinks.ts";
import type { TaskNotice } from "./taskNotice.ts";
import { inLanguage, labels, sentences, statusWord } from "./words.ts";

/** What chats and mails say about a task, or about one job of it (contract W 15.4). */
export function taskMessage(notice: TaskNotice, event: NoticeEvent): Message {
  return {
    title: titleOf(notice, event),
    tone: toneOf(event),
    isFailure: event === "failed",
    lines: baseLines(notice, event),
    ...blocksOf(notice, event),
    link: taskLink(notice),
    language: notice.language,
  };
}

const good: readonly NoticeEvent[] = ["passed", "created", "prepare"];

function titleOf({ workflow, taskId, taskType, job, language }: TaskNotice, event: NoticeEvent): string {
  const icon = good.includes(event) ? "\u{1f44d}" : event === "failed" ? "\u274c" : "\u26a0\ufe0f";
  const number = `#${taskId}`;
  if (event === "wait_for_approval") {
    const [kind, waiting] = [sentences.approvalWorkflow, sentences.waitingForApproval];
    return `${icon} ${inLanguage(kind, language)} ${workflow.displayName} ${number} ${inLanguage(waiting, language)}`;
  }
  const of = job === undefined ? "" : ` ${job.displayName}`;
  return `${icon} ${inLanguage(sentences[taskType], language)} ${workflow.displayName} ${number}${of} ${statusWord(event, language)}`;
}

/** The card of an approval is always green; a pause waits for a user (contract W 15.5). */
function toneOf(event: NoticeEvent): Message["tone"] {
  if (good.includes(event) || event === "wait_for_approval") return "good";
  return event === "pause" ? "waiting" : "bad";
}

function baseLines(notice: TaskNotice, event: NoticeEvent): Line[] {
  const { language, pendingStage } = notice;
  const label = (name: keyof typeof labels) => inLanguage(labels[name], language);
  const waits = (event === "wait_for_approval" || event === "pause") && pendingStage !== "";
  const began = notice.startTime || notice.createTime;
  return [
    line(label("executor"), notice.creator.name),
    line(label("projectName"), notice.project.displayName),
    ...(waits ? [line(label("pendingStage"), pendingStage)] : []),
    line(label("startTime"), timeText(began, notice.timeZone)),
    line(label("duration"), goDurationText((notice.endTime || notice.time) - began)),
    line(label("remark"), notice.remark),
  ];
}

/** `YYYY-MM-DD hh:mm:ss` in a time zone. */
export function timeText(seconds: number, timeZone: string): string {
  const form = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });
  const parts = new Map(form.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  return `${part("year")}-${part("month")}-${part("day")} ${part("hour")}:${part("minute")}:${part("second")}`;
}

const endedBadly: readonly string[] = ["failed", "timeout", "cancelled", "reject"];

/** Approvers want to know what will be deployed where; everybody else how each job went. */
function blocksOf({ stages, job, language }: TaskNotice, event: NoticeEvent): Pick<Message, "blocks" | "failedBlocks"> {
  if (job !== undefined) return { blocks: [jobLines(job, language)] };
  const jobs = stages.flatMap((stage) => stage.jobs);
  const shown = event === "wait_for_approval" ? jobs.filter(({ spec }) => spec.kind === "deploy") : jobs;
  return {
    blocks: shown.map((one) => jobLines(one, language)),
    failedBlocks: shown.flatMap(({ status }, at) => (endedBadly.includes(status) ? [at] : [])),
  };
}
