import { changeStatus } from "./changeStatus.ts";
import { arm } from "./execution.ts";
import type { HookEvent, Plan, PlanActor } from "./plan.ts";
import type { PlanStatus } from "./status.ts";
import { followedBy, type LogEntry, type Refusal, refuse, type Step, stepFrom } from "./step.ts";

/** How an external system answers: it lets the plan go on, or not, or says how far it is. */
export const callbackResults = ["success", "failed", "executing"] as const;

/** What an external system says of the event that it was asked about (contract D 2.13). */
export interface Callback {
  event: HookEvent;
  result: (typeof callbackResults)[number];
  failedReason: string;
  description: string;
  /** As whom the external system calls. */
  by: PlanActor;
  /** The content that it speaks of. */
  instanceCode: string;
  /** Unix seconds. */
  now: number;
}

const waiting = {
  finish_planning: "wait_for_finish_planning_external_check",
  start_execute: "wait_for_execute_external_check",
  all_job_done: "wait_for_all_done_external_check",
} as const satisfies Record<HookEvent, PlanStatus>;

const reached = {
  finish_planning: "finish_planning",
  start_execute: "executing",
  all_job_done: "success",
} as const satisfies Record<HookEvent, PlanStatus>;

/** The status that a plan takes by an event: it waits for the answer, when it goes by one. */
export function statusOfEvent({ hooks }: Pick<Plan, "hooks">, event: HookEvent): PlanStatus {
  return hooks?.enableCallBack === true ? waiting[event] : reached[event];
}

/** The answer of an external system moves the plan on, or holds it; a plan that goes by no answers leaves it alone. */
export function callBack(before: Plan, callback: Callback): Step | Refusal {
  const { event, result, failedReason, description, by, now } = callback;
  if (before.hooks?.enable !== true || !before.hooks.enableCallBack) return stepFrom(before);
  if (callback.instanceCode !== before.instanceCode)
    return refuse(`instance_code: the plan's is ${before.instanceCode} now, because it was edited or planned again`);
  const status = waiting[event];
  if (before.status !== status) return refuse(`plan status is ${before.status}, it does not wait for ${event}`);
  const plan: Plan = { ...before, callbackDescription: description };
  if (result === "executing") return { ...stepFrom(plan), log: [underWay(plan, by)] };
  if (result === "failed")
    return changeStatus(plan, `${status}_failed`, by, `external check failed: ${failedReason}`, {
      checkFailedReason: failedReason,
    });
  const detail = "external check passed";
  if (event === "start_execute") return arm(plan, by, now, detail);
  if (event === "all_job_done") return changeStatus(plan, "success", by, detail, { successTime: now });
  const finished = changeStatus(plan, "finish_planning", by, detail, { finishPlanningTime: now });
  return plan.approval?.enabled === true ? finished : followedBy(finished, (next) => arm(next, by, now, detail));
}

function underWay({ name, callbackDescription }: Plan, by: PlanActor): LogEntry {
  const said = callbackDescription === "" ? "" : `: ${callbackDescription}`;
  return {
    ...({ by, verb: "update", targetType: "release_plan", targetName: name } as const),
    detail: `the external check is under way${said}`,
  };
}
