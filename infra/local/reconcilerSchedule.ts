import { ConflictException, CreateScheduleCommand, SchedulerClient } from "@aws-sdk/client-scheduler";
import { awsClientOptions, config } from "../../shared/config.ts";

/** Nobody checks roles on one machine. */
export const localSchedulerRole = "arn:aws:iam::000000000000:role/local";

/** The schedule that the stack makes in AWS; the functions switch it on and off. */
export async function ensureReconcilerSchedule(functionArn: string): Promise<void> {
  const { SLIPWAY_RECONCILER_SCHEDULE: Name, SLIPWAY_SCHEDULE_GROUP: GroupName } = config();
  const client = new SchedulerClient(awsClientOptions());
  try {
    await client.send(
      new CreateScheduleCommand({
        Name,
        GroupName,
        ScheduleExpression: "rate(1 minute)",
        FlexibleTimeWindow: { Mode: "OFF" },
        Target: { Arn: functionArn, RoleArn: localSchedulerRole, Input: "{}" },
        State: "ENABLED",
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  } finally {
    client.destroy();
  }
}
