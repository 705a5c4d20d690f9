import type { Plan } from "./plan.ts";
import type { PlanStatus } from "./status.ts";

/** Where a round waits to be executed; an approval that lapsed leads back here. */
const beforeExecution: readonly PlanStatus[] = [
  "wait_for_finish_planning_external_check",
  "wait_for_finish_planning_external_check_failed",
  "finish_planning",
  "wait_for_approval",
  "denied",
  "wait_for_execute_external_check",
  "wait_for_execute_external_check_failed",
];
const inExecution: readonly PlanStatus[] = [
  "executing",
  "wait_for_all_done_external_check",
  "wait_for_all_done_external_check_failed",
];

/** What the machine of a round does after one of its waits: arm the times, wait for the start again, or end. */
export type NextOfRound = "arm" | "start" | "end";

/** @returns what ends the wait of a round's machine; undefined while it goes on */
export function endOfWait(
  wait: { round: number; until: "start" | "end" },
  plan: Pick<Plan, "round" | "status"> | undefined,
): NextOfRound | undefined {
  if (plan === undefined || plan.round !== wait.round) return "end";
  if (wait.until === "start") {
    if (beforeExecution.includes(plan.status)) return undefined;
    return inExecution.includes(plan.status) ? "arm" : "end";
  }
  if (inExecution.includes(plan.status)) return undefined;
  return beforeExecution.includes(plan.status) ? "start" : "end";
}

/** Whether a round of the plan is under way, so that its machine must run. */
export function isUnderWay({ round, status }: Pick<Plan, "round" | "status">): boolean {
  return round > 0 && (beforeExecution.includes(status) || inExecution.includes(status));
}
