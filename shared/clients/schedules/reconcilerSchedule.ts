import { GetScheduleCommand, SchedulerClient, UpdateScheduleCommand } from "@aws-sdk/client-scheduler";
import { awsClientOptions, config, keptWithConfig } from "../../config.ts";

const scheduler = keptWithConfig(() => new SchedulerClient(awsClientOptions()));

/** Lets the reconciler run every minute: called before work begins that a crash could leave behind (decisions 8.3). */
export function enableReconciler(): Promise<void> {
  return setState("ENABLED");
}

/** Stops it when nothing is open, so that an idle installation costs nothing. */
export function disableReconciler(): Promise<void> {
  return setState("DISABLED");
}

async function setState(state: "ENABLED" | "DISABLED"): Promise<void> {
  const { SLIPWAY_RECONCILER_SCHEDULE: Name, SLIPWAY_SCHEDULE_GROUP: GroupName } = config();
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
}
