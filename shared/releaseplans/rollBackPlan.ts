import { plannedDeploys } from "../environments/store/plannedDeploys.ts";
import { changePlan } from "./changePlan.ts";
import type { Call } from "./rules/jobs.ts";
import { callRollback } from "./rules/rollback.ts";
import type { Step } from "./rules/step.ts";

/** Begins to take back what a plan deployed; its follower goes on with it. @throws ApiError 400, 403, 404, 409 */
export function rollBackPlan(planId: string, call: Call): Promise<Step> {
  return changePlan(planId, async (plan) => callRollback(plan, call, await plannedDeploys(planId)));
}
