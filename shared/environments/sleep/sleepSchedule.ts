import { invokeLater } from "../../base/aws/functions/invokeLater.ts";
import { ApiError } from "../../base/errors/apiError.ts";
import { enableReconciler } from "../../base/reconciling/enableReconciler.ts";
import { log } from "../../base/settings/log.ts";
import { nowSeconds } from "../../base/store/ids.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed } from "../../base/store/tableClient.ts";
import type { Actor } from "../change/createEnvironment.ts";
import { type EnvironmentName, environmentMissing } from "../requireEnvironment.ts";
import { environmentMustStay } from "../store/configRecords.ts";
import { findScheduled, putSleepSchedule, type SchedulePlace, type SleepSettings } from "../store/sleepSchedules.ts";

const maxTries = 5;

/** As it is before anybody saved one. */
const never: SleepSettings = { sleepCron: "", awakeCron: "", timeZone: "UTC", enabled: false };

/** When an environment falls asleep and wakes by itself. @throws ApiError 404 unknown environment */
export async function readSleepSchedule(name: EnvironmentName): Promise<SleepSettings> {
  const found = await findScheduled(name, { consistent: false });
  if (found?.environment.production !== name.production) throw environmentMissing(name);
  return found.schedule ?? never;
}

/**
 * Replaces the schedule of an environment (decisions 6.7). What was timed by the one before counts no more; the scheduler
 * learns of it a moment later.
 * @throws ApiError 404 unknown environment; 6076 while it is being deleted; 409 when others save it all the time
 */
export async function saveSleepSchedule(name: EnvironmentName, settings: SleepSettings, actor: Actor): Promise<void> {
  await enableReconciler();
  for (let tries = 1; tries <= maxTries; tries++) {
    const place = await saveOnce(name, settings, actor);
    if (place !== undefined) return tellScheduler(place);
  }
  throw new ApiError(409, "the schedule is being saved by others at the same moment; read it and try again");
}

/** @returns undefined when something else was faster */
async function saveOnce(
  name: EnvironmentName,
  settings: SleepSettings,
  actor: Actor,
): Promise<SchedulePlace | undefined> {
  const found = await findScheduled(name, { consistent: true });
  if (found?.environment.production !== name.production) throw environmentMissing(name);
  const { environment, schedule } = found;
  if (environment.status === "deleting") throw new ApiError(6076, "environment is being deleted");
  const { projectKey, envKey, environmentId } = environment;
  const place = { projectKey, envKey, environmentId };
  const now = nowSeconds();
  const revision = (schedule?.revision ?? 0) + 1;
  // A time that has passed was the business of the settings before.
  const known = { revision, updatedBy: actor.name, updatedAt: now, unsynced: true, lastEventAt: now };
  try {
    await table().write(
      environmentMustStay(environment),
      putSleepSchedule({ ...place, ...settings, ...known }, schedule),
    );
    return place;
  } catch (error) {
    if (error instanceof ConditionFailed) return undefined;
    throw error;
  }
}

/** The due record is what counts: when the call is lost, the reconciler finds it. */
async function tellScheduler(place: SchedulePlace): Promise<void> {
  try {
    await invokeLater("sleep-schedule", place);
  } catch (error) {
    log.warn("sleep schedule not passed on; it stays due", { ...place, internal: String(error) });
  }
}
