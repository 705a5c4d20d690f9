import { config } from "../../settings/config.ts";
import { adapters, type ScheduleState } from "../adapters.ts";

/** Switches the schedule that runs the reconciler every minute; several may do so at the same moment. */
export function switchReconcilerSchedule(state: ScheduleState): Promise<void> {
  return setState(config().SLIPWAY_RECONCILER_SCHEDULE, state);
}

/** Switches the schedule that runs the reconciler every ten minutes while something may come due by itself. */
export function switchSweepSchedule(state: ScheduleState): Promise<void> {
  return setState(config().SLIPWAY_SWEEP_SCHEDULE, state);
}

async function setState(name: string, state: ScheduleState): Promise<void> {
  await (adapters()?.schedules.setState(name, state) ?? (await import("./schedulesInAws.ts")).setState(name, state));
}
