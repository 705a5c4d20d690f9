import type { SystemHookEvent } from "../../rules/systemHookEvents.ts";
import type { NotifyCtl } from "./notifyCtl.ts";

/** How a task can end. */
export const endEvents = ["passed", "failed", "timeout", "cancelled", "reject"] as const;
type EndEvent = (typeof endEvents)[number];

/** What is told about a task, or, with `prepare`, about a job (contract W 15.2). */
export const noticeEvents = ["created", "prepare", ...endEvents, "pause", "wait_for_approval"] as const;
export type NoticeEvent = (typeof noticeEvents)[number];

export interface Happening {
  event: NoticeEvent;
  /** Whose settings are asked: those of a job know neither `changed` nor what fires for another word. */
  level: "task" | "job";
  /** How the task with the number before ended; undefined when there is none. Only asked when a task ends. */
  statusBefore?: string | undefined;
}

/**
 * The settings that fire, each with its place in the list, which is part of what identifies a delivery (contract W 15.1,
 * 15.2). Each fires once, however many of its values fit.
 */
export function firingCtls(ctls: readonly NotifyCtl[], happening: Happening): { ctl: NotifyCtl; index: number }[] {
  return ctls.flatMap((ctl, index) => (ctl.enabled && fires(ctl, happening) ? [{ ctl, index }] : []));
}

function fires({ webhook_type: type, notify_type: wanted }: NotifyCtl, happening: Happening): boolean {
  const { event, level, statusBefore } = happening;
  // The executors get a message of their own.
  if (event === "pause" && type === "feishu_person") return false;
  if (wanted.includes(event)) return true;
  if (level === "job") return false;
  if (event === "reject" && wanted.includes("failed")) return true;
  return isEnd(event) && wanted.includes("changed") && statusBefore !== event;
}

function isEnd(event: NoticeEvent): event is EndEvent {
  return endEvents.some((end) => end === event);
}

/** What the system-wide hook is told of a task's event: nothing of a rejection or a pause (contract W 8.10, 15.7). */
export function systemHookEventOf(event: NoticeEvent): SystemHookEvent | undefined {
  if (event === "created") return "start_execute";
  return isEnd(event) && event !== "reject" ? "complete_execute" : undefined;
}
