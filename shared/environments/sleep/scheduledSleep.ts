import { recordOperation } from "../../access/audit/recordOperation.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, type Item } from "../../base/store/tableClient.ts";
import { startStepChange } from "../change/startStepChange.ts";
import type { SleepEvent } from "../rules/status.ts";
import { sleepRefusal } from "../rules/status.ts";
import type { EnvironmentRecord } from "../store/environments.ts";
import { findScheduled, putSleepSchedule, type SchedulePlace, type SleepSchedule } from "../store/sleepSchedules.ts";

/** What the scheduler sends; `at` in Unix seconds. */
export interface ScheduledEvent extends SchedulePlace {
  event: SleepEvent;
  revision: number;
  at: number;
}

/** Who changes an environment by its schedule; no user can be named so, because this one has no account. */
export const scheduleActor = "system";

/** How long after its time an event still counts, also while another change of the environment is under way. */
const longestDelaySeconds = 3600;
const maxTries = 5;

/**
 * Takes an event as the one to be done next. One that was taken before, is older than one taken, or is more than an hour
 * late counts no more.
 * @returns `outdated` for one that was timed by settings which are in force no more
 */
export async function takeScheduledEvent({
  event,
  revision,
  at,
  ...place
}: ScheduledEvent): Promise<"taken" | "known" | "outdated"> {
  await enableReconciler();
  for (;;) {
    const schedule = await findOwn(place);
    if (schedule === undefined || !schedule.enabled || schedule.revision !== revision) return "outdated";
    if (at <= schedule.lastEventAt || at + longestDelaySeconds <= nowSeconds()) return "known";
    if (await store({ ...schedule, lastEventAt: at, pending: { event, at } }, schedule)) return "taken";
  }
}

/**
 * Begins what was taken, exactly once. Where the environment is that way already, nothing is done and nothing is said;
 * while another change of it is under way it stays pending for the reconciler, for an hour.
 */
export async function startPending(place: SchedulePlace): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries++) {
    const found = await findScheduled(place, { consistent: true });
    if (found?.environment.environmentId !== place.environmentId || found.environment.status === "deleting") return;
    if (found.schedule?.pending === undefined || (await begin(found.environment, found.schedule))) return;
  }
}

/** @returns false when something else was faster */
async function begin(environment: Item<EnvironmentRecord>, schedule: Item<SleepSchedule>): Promise<boolean> {
  const { pending, ...rest } = schedule;
  if (pending === undefined) return true;
  const refused = sleepRefusal(pending.event, environment);
  if (refused === undefined) {
    const done = [putSleepSchedule(rest, schedule)];
    if (!(await startStepChange(pending.event, environment, scheduleActor, { beside: () => done }))) return false;
    await record(schedule, pending, 200);
    return true;
  }
  if (!isUnderWay(environment)) return store(rest, schedule);
  if (pending.at + longestDelaySeconds > nowSeconds()) return true;
  log.warn("scheduled change given up", { environmentId: environment.environmentId, internal: refused });
  if (!(await store(rest, schedule))) return false;
  await record(schedule, pending, 400);
  return true;
}

function isUnderWay({ status }: EnvironmentRecord): boolean {
  return status === "creating" || status === "updating";
}

async function findOwn(place: SchedulePlace): Promise<Item<SleepSchedule> | undefined> {
  const found = await findScheduled(place, { consistent: true });
  return found?.schedule?.environmentId === place.environmentId ? found.schedule : undefined;
}

/** @returns false when something else was faster */
async function store(schedule: SleepSchedule, before: Item<SleepSchedule>): Promise<boolean> {
  try {
    await table().write(putSleepSchedule(schedule, before));
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** In the words of the endpoints (decisions 3.7); the body tells of the schedule and of who saved it. */
async function record(
  { projectKey, envKey, sleepCron, awakeCron, timeZone, updatedBy }: SleepSchedule,
  { event, at }: { event: SleepEvent; at: number },
  status: number,
): Promise<void> {
  const schedule = {
    cron: event === "sleep" ? sleepCron : awakeCron,
    time_zone: timeZone,
    time: new Date(at * 1000).toISOString(),
    saved_by: updatedBy,
  };
  await recordOperation({
    uid: "",
    username: scheduleActor,
    projectKey,
    method: event === "sleep" ? "Sleep" : "Wake",
    function: "Environment",
    scene: "environment",
    targets: [envKey],
    detail: envKey,
    body: { schedule },
    bodyType: "json",
    status,
    createdAt: nowSeconds(),
  });
}
