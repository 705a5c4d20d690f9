import * as z from "zod";
import { syncCron, takeCronTime } from "../../../shared/workflows/triggers/cron.ts";
import { triggerKinds } from "../../../shared/workflows/triggers/rules/trigger.ts";
import { startTriggeredTask } from "../../../shared/workflows/triggers/startTriggeredTask.ts";

/** From the scheduler. */
const timed = z.strictObject({
  ...{ workflowKey: z.string(), workflowId: z.string(), cron: z.string(), revision: z.int() },
  time: z.iso.datetime().transform((time) => Math.floor(Date.parse(time) / 1000)),
});
/** From the function that saved a cron. */
const saved = z.strictObject({ workflowKey: z.string(), sync: z.string() });
/** From the function that accepted a delivery. */
const taken = z.strictObject({
  ...{ workflowId: z.string(), deliveryId: z.string(), kind: z.enum(triggerKinds), trigger: z.string() },
});

const starterEvent = z.union([timed, saved, taken]);

/**
 * Starts the tasks of what set triggers going, and keeps the schedules of crons as they are stored. Everything may be done
 * twice; what cannot be done yet stays due for the reconciler.
 */
export async function handler(given: unknown): Promise<void> {
  const event = starterEvent.parse(given);
  if ("sync" in event) return syncCron({ workflowKey: event.workflowKey, name: event.sync });
  if ("deliveryId" in event) return startTriggeredTask(event);
  const { cron: name, time: at, workflowKey, workflowId, revision } = event;
  for (const delivery of await takeCronTime({ workflowKey, workflowId, name, revision, at }))
    await startTriggeredTask(delivery);
}
