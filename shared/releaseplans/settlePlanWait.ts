import { completeTask } from "../base/aws/states/stateMachines.ts";
import { findPlan } from "./records/plans.ts";
import { findPlanWaits, removePlanWait } from "./records/planWaits.ts";
import { endOfWait } from "./rules/machine.ts";

/** Ends the waits of the plan's machines that the plan lets end. May be repeated: a token is settled once. */
export async function settlePlanWait(planId: string): Promise<void> {
  const [waits, plan] = await Promise.all([findPlanWaits(planId), findPlan(planId)]);
  for (const wait of waits) {
    const next = endOfWait(wait, plan);
    if (next === undefined) continue;
    await completeTask(wait.taskToken, { do: next });
    await removePlanWait(wait);
  }
}
