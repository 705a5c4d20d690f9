import * as z from "zod";
import { startPending, takeScheduledEvent } from "../../../shared/environments/sleep/scheduledSleep.ts";
import { syncSleepSchedule } from "../../../shared/environments/sleep/syncSleepSchedule.ts";

const place = { projectKey: z.string(), envKey: z.string(), environmentId: z.string() };

/** From the scheduler. */
const timed = z.object({
  ...place,
  event: z.enum(["sleep", "wake"]),
  revision: z.int(),
  time: z.iso.datetime().transform((time) => Math.floor(Date.parse(time) / 1000)),
});

/** From the function that changed something: brings the whole schedule of one environment to where it should be. */
const sleepScheduleEvent = z.union([timed, z.strictObject(place)]);

/**
 * Keeps the schedule of an environment in the scheduler as it is stored, and begins what is due. Everything may be done
 * twice; what cannot be done yet stays due for the reconciler.
 */
export async function handler(given: unknown): Promise<void> {
  const event = sleepScheduleEvent.parse(given);
  const { projectKey, envKey, environmentId } = event;
  const environment = { projectKey, envKey, environmentId };
  const taken = "event" in event ? await takeScheduledEvent({ ...event, at: event.time }) : "told";
  await syncSleepSchedule(environment, { always: taken === "outdated" });
  await startPending(environment);
}
