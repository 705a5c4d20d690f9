import { nowSeconds } from "../../base/store/ids.ts";
import { dues, keys, padded } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, replace, type Write } from "../../base/store/writes.ts";
import type { EnvironmentRecord } from "./environments.ts";

/** Where a schedule belongs; the id tells an environment from a later one of its name. */
export interface SchedulePlace {
  projectKey: string;
  envKey: string;
  environmentId: string;
}

export interface SleepSettings {
  /** Five fields; empty: never. */
  sleepCron: string;
  awakeCron: string;
  /** A name of IANA. */
  timeZone: string;
  enabled: boolean;
}

/** When an environment falls asleep and wakes by itself (decisions 6.7). */
export interface SleepSchedule extends SchedulePlace, SleepSettings {
  /** Number of the settings: what was timed by older ones counts no more. */
  revision: number;
  updatedBy: string;
  updatedAt: number;
  /** The scheduler does not know these settings yet. */
  unsynced: boolean;
  /** When the newest event was due that was taken, Unix seconds: it and all before it count no more. */
  lastEventAt: number;
  /** Taken, but not started yet. */
  pending?: { event: "sleep" | "wake"; at: number };
}

/** An environment with its schedule, in one batch; undefined for an environment that is not there. */
export async function findScheduled(
  { projectKey, envKey }: { projectKey: string; envKey: string },
  options: { consistent: boolean },
): Promise<{ environment: Item<EnvironmentRecord>; schedule: Item<SleepSchedule> | undefined } | undefined> {
  const wanted = [keys.environment(projectKey, envKey), keys.environmentSleepSchedule(projectKey, envKey)];
  const items = await table().getMany<EnvironmentRecord & SleepSchedule>(wanted, options);
  const environment = items.find(({ type }) => type === "environment");
  return environment && { environment, schedule: items.find(({ type }) => type === "environment-sleep-schedule") };
}

/** Stores a schedule over the one that was read; due for the reconciler while something of it is to be done. */
export function putSleepSchedule(schedule: SleepSchedule, before: Item<SleepSchedule> | undefined): Write {
  const { projectKey, envKey, environmentId, revision, updatedBy, updatedAt, unsynced, lastEventAt, pending } =
    schedule;
  const { sleepCron, awakeCron, timeZone, enabled } = schedule;
  const item = {
    ...keys.environmentSleepSchedule(projectKey, envKey),
    type: "environment-sleep-schedule",
    ...{ projectKey, envKey, environmentId, sleepCron, awakeCron, timeZone, enabled },
    ...{ revision, updatedBy, updatedAt, unsynced, lastEventAt },
    ...(pending !== undefined && { pending }),
    ...((unsynced || pending !== undefined) && {
      duePk: dues.sleepSchedules,
      dueSk: `${padded(nowSeconds())}#${environmentId}`,
    }),
  };
  return before === undefined ? create(item) : replace(item, before.version);
}

/** Schedules of which something is to be done. */
export async function dueSleepSchedules(): Promise<SchedulePlace[]> {
  const items = await table().query<{ dueSk: string }>({ index: "due", pk: dues.sleepSchedules });
  return items.map(({ pk, dueSk }) => {
    const [, projectKey = "", envKey = ""] = pk.split("#");
    return { projectKey, envKey, environmentId: dueSk.slice(dueSk.indexOf("#") + 1) };
  });
}
