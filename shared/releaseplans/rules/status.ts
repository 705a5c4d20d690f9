/** Status of a release plan (contract D 2.2). */
export const planStatuses = [
  "planning",
  "wait_for_finish_planning_external_check",
  "wait_for_finish_planning_external_check_failed",
  "finish_planning",
  "wait_for_approval",
  "denied",
  "wait_for_execute_external_check",
  "wait_for_execute_external_check_failed",
  "executing",
  "timeout",
  "wait_for_all_done_external_check",
  "wait_for_all_done_external_check_failed",
  "success",
  "cancel",
] as const;
export type PlanStatus = (typeof planStatuses)[number];

/** Status of a job of a plan (contract D 2.6); empty: never armed. */
export const planJobStatuses = ["", "todo", "running", "done", "failed", "skipped"] as const;
export type PlanJobStatus = (typeof planJobStatuses)[number];

/** Where a status call may lead, by the status that the plan has (contract D 2.3); what is not listed is refused. */
const calls: Readonly<Record<PlanStatus, readonly PlanStatus[]>> = {
  planning: ["finish_planning"],
  wait_for_finish_planning_external_check: ["planning", "cancel"],
  wait_for_finish_planning_external_check_failed: ["planning", "cancel"],
  finish_planning: ["planning", "wait_for_approval", "executing"],
  wait_for_approval: ["executing", "planning", "cancel"],
  denied: ["planning", "cancel"],
  wait_for_execute_external_check: ["planning", "cancel"],
  wait_for_execute_external_check_failed: ["planning", "cancel"],
  executing: ["success", "planning", "cancel"],
  timeout: ["planning", "cancel"],
  wait_for_all_done_external_check: ["planning", "cancel"],
  wait_for_all_done_external_check_failed: ["planning", "cancel"],
  success: [],
  cancel: [],
};

/** A full replacement makes a plan of one of these a draft again; the only way out of `cancel` (contract D 2.3, 2.7). */
const fixed: readonly PlanStatus[] = ["success", "executing", "wait_for_approval"];

/** @returns the sentence for a caller that replaces a plan in a status that forbids it (contract D 2.7) */
export function replacementRefusal(status: PlanStatus): string | undefined {
  if (!fixed.includes(status)) return undefined;
  const refused = "release plan status is success, executing or wait for approve, can't update";
  return `${refused}: it is ${status}; ${status === "success" ? wayFrom(status) : "move it to planning first"}`;
}

/** @returns the sentence for a caller that edits a plan that is no draft (contract D 2.9) */
export function editRefusal(status: PlanStatus): string | undefined {
  if (status === "planning") return undefined;
  return `plan status is ${status}, can not update; ${fixed.includes(status) ? wayFrom(status) : "a PATCH makes it a draft again"}`;
}

/** Whether the plan waits for another system, or was told by it that it may not go on. */
export function isExternalCheck(status: PlanStatus): boolean {
  return status.includes("_external_check");
}

/** @returns the sentence for a caller that asked for a change of status that the table does not have */
export function statusCallRefusal(from: PlanStatus, to: PlanStatus): string | undefined {
  if (from === to) return `current status can not equal to target status ${to}`;
  if (calls[from].includes(to)) return undefined;
  const refused = isExternalCheck(from)
    ? `can't update status, current status: ${from}`
    : `can't convert plan status ${from} to ${to}`;
  return `${refused}; ${wayFrom(from)}`;
}

/** What may be done with a plan where a call does not lead on. */
function wayFrom(status: PlanStatus): string {
  if (status === "success") return "it is over: copy it to run it again";
  if (status === "cancel") return "it is over: a PATCH makes it a draft again";
  return `a call leads from there to ${calls[status].join(" or ")}`;
}
