import { changePlan } from "./changePlan.ts";
import { decide } from "./rules/approval.ts";
import type { Call } from "./rules/jobs.ts";
import type { Step } from "./rules/step.ts";

/** What one approver says (contract D 2.10). @throws ApiError 400, 403, 404, 409 */
export function approvePlan(planId: string, said: { approve: boolean; comment: string }, call: Call): Promise<Step> {
  return changePlan(planId, (plan) => decide(plan, said, call));
}
