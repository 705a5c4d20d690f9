import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from "@aws-sdk/client-scheduler";
import { awsClientOptions, config, keptWithConfig } from "../../config.ts";
import { repeatConflicts } from "./repeatConflicts.ts";

const scheduler = keptWithConfig(() => new SchedulerClient(awsClientOptions()));

/** Switches the schedule that runs the reconciler every minute; several may do so at the same moment. */
export async function switchReconcilerSchedule(state: "ENABLED" | "DISABLED"): Promise<void> {
  const { SLIPWAY_RECONCILER_SCHEDULE: Name, SLIPWAY_SCHEDULE_GROUP: GroupName } = config();
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
