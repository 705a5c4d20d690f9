import { putSchedule, removeSchedule } from "../../base/aws/schedules/timedEvents.ts";
import { parseCron } from "../../base/common/schedule/cron.ts";
import { schedulerCron } from "../../base/common/schedule/schedulerCron.ts";
import { config } from "../../base/settings/config.ts";
import { underLease } from "../../base/store/leases.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import { findScheduled, putSleepSchedule, type SchedulePlace, type SleepSchedule } from "../store/sleepSchedules.ts";

const leaseTerms = { seconds: 20, maxWaitSeconds: 25 };
/** What was due while nothing could be invoked is made up for within an hour. */
const longestDelaySeconds = 3600;

/**
 * Makes EventBridge Scheduler know the schedule of an environment as it is stored: one schedule for each direction, none
 * for an environment that is gone or going. Under a lease, so that an older state never comes after a newer one; may be
 * repeated. What is known to be there is made again with `always` only.
 * @throws Error while another one does the same for long
 */
export async function syncSleepSchedule(place: SchedulePlace, options: { always: boolean }): Promise<void> {
  await underLease(`sleep-schedule#${place.environmentId}`, leaseTerms, async () => {
    while (!(await syncOnce(place, options))) {
      // The settings changed meanwhile.
    }
  });
}

/** @returns false when the stored schedule changed meanwhile */
async function syncOnce(place: SchedulePlace, { always }: { always: boolean }): Promise<boolean> {
  const found = await findScheduled(place, { consistent: true });
  const standing = found?.environment.environmentId === place.environmentId && found.environment.status !== "deleting";
  const schedule = standing ? found.schedule : undefined;
  if (schedule?.unsynced === false && !always) return true;
  await syncDirection(place, schedule, "sleep", schedule?.sleepCron ?? "");
  await syncDirection(place, schedule, "wake", schedule?.awakeCron ?? "");
  if (schedule?.unsynced !== true) return true;
  try {
    await table().write(putSleepSchedule({ ...schedule, unsynced: false }, schedule));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

async function syncDirection(
  { projectKey, envKey, environmentId }: SchedulePlace,
  schedule: SleepSchedule | undefined,
  event: "sleep" | "wake",
  cron: string,
): Promise<void> {
  const name = `${event}-${environmentId}`;
  const times = parseCron(cron);
  if (schedule?.enabled !== true || typeof times === "string") return removeSchedule(name);
  const { revision, timeZone } = schedule;
  const input = { projectKey, envKey, environmentId, event, revision, time: "<aws.scheduler.scheduled-time>" };
  const target = config().SLIPWAY_SLEEP_SCHEDULE_ARN;
  await putSchedule({ name, expression: schedulerCron(times), timeZone, target, event: input, longestDelaySeconds });
}
