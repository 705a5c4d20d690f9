import { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { awsClientOptions, config } from "../../shared/settings/config.ts";

/** Nobody checks roles on one machine. */
export const localSchedulerRole = "arn:aws:iam::000000000000:role/local";

/** The schedules that the stack makes in AWS; the functions switch those of the reconciler on and off. */
export async function ensureReconcilerSchedule(functionArn: string, recountArn?: string): Promise<void> {
  const { SLIPWAY_RECONCILER_SCHEDULE, SLIPWAY_SWEEP_SCHEDULE, SLIPWAY_SCHEDULE_GROUP: GroupName } = config();
  const client = new SchedulerClient(awsClientOptions());
  const ensure = async (Name: string, ScheduleExpression: string, State: "ENABLED" | "DISABLED", Arn = functionArn) => {
    const Target = { Arn, RoleArn: localSchedulerRole, Input: "{}" };
    const schedule = {
      Name,
      GroupName,
      ScheduleExpression,
      FlexibleTimeWindow: { Mode: "OFF" as const },
      Target,
      State,
    };
    try {
      await client.send(new CreateScheduleCommand(schedule));
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
    }
  };
  try {
    await ensure(SLIPWAY_RECONCILER_SCHEDULE, "rate(1 minute)", "ENABLED");
    await ensure(SLIPWAY_SWEEP_SCHEDULE, "rate(10 minutes)", "DISABLED");
    if (recountArn !== undefined) await ensure("slipway-statistics-recount", "rate(1 day)", "ENABLED", recountArn);
  } finally {
    client.destroy();
  }
}
