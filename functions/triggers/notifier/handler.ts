import * as z from "zod";
import { retryOnConflict } from "../../../shared/base/store/retryOnConflict.ts";
import { table } from "../../../shared/base/store/table.ts";
import { sendDelivery } from "../../../shared/integrations/notify/sendDelivery.ts";
import type { Delivery } from "../../../shared/integrations/notify/store/deliveries.ts";
import { planEvent } from "../../../shared/releaseplans/records/planDeliveries.ts";
import { findPlan, planWrites } from "../../../shared/releaseplans/records/plans.ts";
import { noted } from "../../../shared/releaseplans/rules/noted.ts";

const event = z.object({
  deliveries: z.array(
    z.object({
      projectKey: z.string(),
      workflowKey: z.string(),
      taskId: z.int(),
      taskRecordId: z.string(),
      deliveryId: z.string(),
    }),
  ),
  /** A start on one machine knows that the senders of the program before it have ended (Unix seconds). */
  sendersEndedBefore: z.int().optional(),
});

/**
 * Sends recorded notifications (contract W 15). Running it twice sends nothing twice; what it leaves behind when it ends
 * early stays due, for the reconciler.
 */
export async function handler(given: unknown): Promise<{ sent: number; failed: number }> {
  const { deliveries, sendersEndedBefore } = event.parse(given);
  const ended = await Promise.all(
    deliveries.map((delivery) => sendDelivery(delivery, sendersEndedBefore, noteUndelivered)),
  );
  return {
    sent: ended.filter((status) => status === "sent").length,
    failed: ended.filter((status) => status === "failed").length,
  };
}

/** Says in the log of its plan that a delivery was given up; one about a task, or about a plan that is gone, does nothing. */
async function noteUndelivered(delivery: Delivery): Promise<void> {
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
