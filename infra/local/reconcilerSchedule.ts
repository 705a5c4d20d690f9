import { config } from "../../shared/settings/config.ts";
import type { ScheduleDefinition } from "./aws/scheduler/scheduleDefinition.ts";
import type { Scheduler } from "./aws/scheduler/scheduler.ts";

/** The reconciler's schedules, which the stack makes in AWS; functions switch them on and off. */
export function ensureReconcilerSchedule(scheduler: Scheduler): void {
  const { SLIPWAY_RECONCILER_SCHEDULE, SLIPWAY_SWEEP_SCHEDULE } = config();
  scheduler.ensure(SLIPWAY_RECONCILER_SCHEDULE, definition("rate(1 minute)", "ENABLED", "reconciler"));
  scheduler.ensure(SLIPWAY_SWEEP_SCHEDULE, definition("rate(10 minutes)", "DISABLED", "reconciler"));
}

/** The daily count of everything that statistics show, which the stack makes in AWS, too. */
export function ensureRecountSchedule(scheduler: Scheduler): void {
  scheduler.ensure("slipway-statistics-recount", definition("rate(1 day)", "ENABLED", "statistics-recount"));
}

function definition(ScheduleExpression: string, State: ScheduleDefinition["State"], Arn: string): ScheduleDefinition {
  return { ScheduleExpression, State, Target: { Arn, Input: "{}" } };
}
