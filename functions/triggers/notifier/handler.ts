import * as z from "zod";
import { sendDelivery } from "../../../shared/notify/sendDelivery.ts";
import { noteUndelivered } from "../../../shared/releaseplans/noteUndelivered.ts";

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
