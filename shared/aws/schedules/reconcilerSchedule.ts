import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from "@aws-sdk/client-scheduler";
import { awsClientOptions, config, keptWithConfig } from "../../settings/config.ts";
import { repeatConflicts } from "./repeatConflicts.ts";

const scheduler = keptWithConfig(() => new SchedulerClient(awsClientOptions()));

type State = "ENABLED" | "DISABLED";

/** Switches the schedule that runs the reconciler every minute; several may do so at the same moment. */
export function switchReconcilerSchedule(state: State): Promise<void> {
  return switchSchedule(config().SLIPWAY_RECONCILER_SCHEDULE, state);
}

/** Switches the schedule that runs the reconciler every ten minutes while something may come due by itself. */
export function switchSweepSchedule(state: State): Promise<void> {
  return switchSchedule(config().SLIPWAY_SWEEP_SCHEDULE, state);
}

async function switchSchedule(Name: string, state: State): Promise<void> {
  const { SLIPWAY_SCHEDULE_GROUP: GroupName } = config();
  await repeatConflicts(async () => {
    const schedule = await scheduler().send(new GetScheduleCommand({ Name, GroupName }));
    if (schedule.State === state) return;
    await scheduler().send(
      new UpdateScheduleCommand({
        Name,
        GroupName,
        State: state,
        ScheduleExpression: schedule.ScheduleExpression,
        FlexibleTimeWindow: schedule.FlexibleTimeWindow,
        Target: schedule.Target,
      }),
    );
  });
}
