import { adapters, type TimedEvent } from "../adapters.ts";

/** Makes a schedule, or changes the one of that name. May be repeated, also at the same moment. */
export async function putSchedule(timed: TimedEvent): Promise<void> {
  await (adapters()?.schedules.put(timed) ?? (await import("./schedulesInAws.ts")).put(timed));
}

/** Takes a schedule away; one that is not there is no error. */
export async function removeSchedule(name: string): Promise<void> {
  await (adapters()?.schedules.remove(name) ?? (await import("./schedulesInAws.ts")).remove(name));
}
