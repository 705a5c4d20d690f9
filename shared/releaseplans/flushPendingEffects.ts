import { startExecution } from "../base/aws/states/stateMachines.ts";
import { config } from "../base/settings/config.ts";
import { openInstance, takeBack } from "../integrations/approvals/requestApproval.ts";
import { cancelOrphan } from "../workflows/tasks/end/cancelTasksOf.ts";
import { continueRollback } from "./continueRollback.ts";
import { notifyOfFreezes } from "./notifyOfFreezes.ts";
import { notifyOfPlan } from "./notifyOfPlan.ts";
import { notifyPlanHooks } from "./notifyPlanHooks.ts";
import { planAsker } from "./planAsker.ts";
import { findPendingEffects, removePendingEffect } from "./records/pendingEffects.ts";
import { findPlan } from "./records/plans.ts";
import { openVendorApproval } from "./rules/vendorApproval.ts";
import { settlePlanWait } from "./settlePlanWait.ts";
import { startJobs } from "./startJobs.ts";

/**
 * Does what the writes of a plan left to be done: cancels tasks, begins or ends waits of its machine,
 * looks for freezes at its schedule, tells other systems and people, starts the jobs that start by themselves, goes on with a rollback, and opens or takes back
 * an approval at a chat service. May be repeated, and done by two at once; what has to wait for others stays owed.
 */
export async function flushPendingEffects(planId: string): Promise<void> {
  const owed = await findPendingEffects(planId);
  for (const { cancels } of owed) for (const task of cancels) await cancelOrphan(task);
  for (const { round } of owed)
    if (round !== undefined)
      await startExecution(config().SLIPWAY_RELEASE_PLAN_ARN, `${planId}-${round}`, { planId, round });
  await settlePlanWait(planId);
  if (owed.some(({ looksAhead }) => looksAhead)) await notifyOfFreezes(planId);
  for (const one of owed) await notifyPlanHooks(one);
  for (const one of owed) await notifyOfPlan(one);
  await startJobs(planId);
  const wentBack = await continueRollback(planId);
  for (const one of owed) {
    const isOpen = one.opens === undefined || (await openApproval(planId));
    const isLeft = one.leaves === undefined || (await takeBack(planAsker(planId, ""), one.leaves));
    if (isOpen && isLeft && (wentBack || one.rollsBack !== true)) await removePendingEffect(one);
  }
}

/** Of the round that the plan is in. @returns whether nothing is left to do */
async function openApproval(planId: string): Promise<boolean> {
  const plan = await findPlan(planId);
  const approval = plan && openVendorApproval(plan);
  return approval === undefined || openInstance(planAsker(planId, approval.instanceCode));
}
