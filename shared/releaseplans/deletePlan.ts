import { enableReconciler } from "../reconciling/enableReconciler.ts";
import { table } from "../store/table.ts";
import { contested } from "./changePlan.ts";
import { followPlan } from "./records/pendingEffects.ts";
import { removePlanWrites } from "./records/plans.ts";
import { runningTasks } from "./rules/jobs.ts";
import type { PlanActor } from "./rules/plan.ts";
import { stepFrom } from "./rules/step.ts";

/** Deletes a plan in any status; tasks that run for it are cancelled, its log stays. @throws ApiError 404, 409 */
export async function deletePlan(planId: string, by: PlanActor): Promise<void> {
  await contested(planId, undefined, async (plan) => {
    const cancels = runningTasks(plan.jobs);
    const entry = { by, verb: "delete", targetType: "release_plan", targetName: plan.name, detail: "deleted" } as const;
    await enableReconciler();
    await table().write(...removePlanWrites(plan, { ...stepFrom(plan), log: [entry], cancels }));
  });
  await followPlan(planId);
}
