import type { Delivery } from "../notify/store/deliveries.ts";
import { retryOnConflict } from "../store/retryOnConflict.ts";
import { table } from "../store/table.ts";
import { planEvent } from "./records/planDeliveries.ts";
import { findPlan, planWrites } from "./records/plans.ts";
import { noted } from "./rules/noted.ts";

/** Says in the log of its plan that a delivery was given up; one about a task, or about a plan that is gone, does nothing. */
export async function noteUndelivered(delivery: Delivery): Promise<void> {
  const { workflowKey: planId, hookEvent, type, target, event, tries } = delivery;
  if (hookEvent !== planEvent) return;
  const why = tries.at(-1)?.problem ?? "the sender died";
  const count = `${tries.length} ${tries.length === 1 ? "try" : "tries"}`;
  await retryOnConflict(async () => {
    const plan = await findPlan(planId);
    if (plan === undefined) return;
    // Nothing is owed for an entry of the log: the sender needs no right to have anything done.
    const step = noted(plan, `${type} to ${target} was not told of ${event} after ${count}: ${why}`);
    await table().write(...planWrites(plan, step));
  });
}
