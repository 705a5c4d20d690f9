import { line, type Message } from "../../integrations/notify/rules/message.ts";
import { timeText } from "../../integrations/notify/rules/taskMessage.ts";
import type { Alert } from "./alert.ts";
import type { Plan } from "./plan.ts";
import type { PlanStatus } from "./status.ts";

/** Statuses in words. */
const words: Readonly<Record<PlanStatus, string>> = {
  planning: "is planned",
  wait_for_finish_planning_external_check: "waits for an external check after planning",
  wait_for_finish_planning_external_check_failed: "failed the external check after planning",
  finish_planning: "is planned to its end",
  wait_for_approval: "waits for approval",
  denied: "was denied",
  wait_for_execute_external_check: "waits for an external check before its execution",
  wait_for_execute_external_check_failed: "failed the external check before its execution",
  executing: "is executed",
  timeout: "ran out of its window",
  wait_for_all_done_external_check: "waits for an external check after its jobs",
  wait_for_all_done_external_check_failed: "failed the external check after its jobs",
  success: "succeeded",
  cancel: "was cancelled",
};
const good: readonly PlanStatus[] = ["planning", "finish_planning", "executing", "success"];

/** What chats and mails say of a status that a plan has taken, or of an alert; in English and in UTC. */
export function planMessage(plan: Plan, baseUrl: string, alert?: Alert): Message {
  const { planId, index, name, manager, status, startTime, endTime, jobs, checkFailedReason } = plan;
  const isFailure = alert !== undefined || status === "denied" || status.endsWith("_failed");
  const isGood = alert === undefined && good.includes(status);
  const icon = isGood ? "\u{1f44d}" : isFailure ? "\u274c" : "\u26a0\ufe0f";
  const time = (seconds: number) => (seconds === 0 ? "any time" : timeText(seconds, "UTC"));
  const hasWindow = startTime !== 0 || endTime !== 0;
  return {
    title: `${icon} Release plan ${name} #${index} ${alert === undefined ? words[status] : "needs somebody"}`,
    tone: isGood ? "good" : status.startsWith("wait_for_") && !isFailure ? "waiting" : "bad",
    isFailure,
    lines: [
      line("Manager", manager),
      ...(hasWindow ? [line("Window", `${time(startTime)} to ${time(endTime)}`)] : []),
      ...(status.endsWith("_failed") ? [line("Reason", checkFailedReason)] : []),
      ...(alert === undefined ? [] : [line("Alert", alert.detail)]),
    ],
    blocks: jobs.map((job) => [line(job.name, job.status || "not started")]),
    link: `${baseUrl}/v1/releasePlan/detail?id=${planId}`,
    language: "en",
  };
}
