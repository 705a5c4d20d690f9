import type { Plan, PlanActor } from "./plan.ts";
import type { PlanStatus } from "./status.ts";
import { type Step, stepFrom } from "./step.ts";

/** The plan with another status and whatever changes with it; the log records every change. */
export function changeStatus(
  plan: Plan,
  to: PlanStatus,
  by: PlanActor,
  detail: string,
  changes: Partial<Plan> = {},
): Step {
  const entry = {
    ...({ by, verb: "update", targetType: "release_plan_status", targetName: plan.name } as const),
    ...{ before: plan.status, after: to, detail },
  };
  return { ...stepFrom({ ...plan, ...changes, status: to }), log: [entry] };
}
