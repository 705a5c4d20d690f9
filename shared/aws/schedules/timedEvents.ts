import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { awsClientOptions, config, keptWithConfig } from "../../settings/config.ts";
import { repeatConflicts } from "./repeatConflicts.ts";

export interface TimedEvent {
  /** Up to 64 letters, digits, hyphens; making the same one again replaces it. */
  name: string;
  /** As EventBridge Scheduler writes it; `at(…)` is once, and gone afterwards. */
  expression: string;
  timeZone: string;
  /** ARN of the function that is invoked. */
  target: string;
  event: Readonly<Record<string, unknown>>;
  /** What was due while nothing could be invoked is made up for within this time. */
  longestDelaySeconds: number;
}

const scheduler = keptWithConfig(() => new SchedulerClient(awsClientOptions()));

/** Makes a schedule, or changes the one of that name. May be repeated, also at the same moment. */
export async function putSchedule(timed: TimedEvent): Promise<void> {
  const input = inputOf(timed);
  // One that another call made meanwhile is a conflict too, and is there to be changed at the next try.
  await repeatConflicts(async () => {
    try {
      await scheduler().send(new UpdateScheduleCommand(input));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
      await scheduler().send(new CreateScheduleCommand(input));
    }
  });
}

/** Takes a schedule away; one that is not there is no error. */
export async function removeSchedule(name: string): Promise<void> {
  const GroupName = config().SLIPWAY_SCHEDULE_GROUP;
  try {
    await repeatConflicts(() => scheduler().send(new DeleteScheduleCommand({ Name: name, GroupName })));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

function inputOf(timed: TimedEvent): CreateScheduleCommandInput {
  const settings = config();
  return {
    Name: timed.name,
    GroupName: settings.SLIPWAY_SCHEDULE_GROUP,
    ScheduleExpression: timed.expression,
    ScheduleExpressionTimezone: timed.timeZone,
    FlexibleTimeWindow: { Mode: "OFF" },
    State: "ENABLED",
    ...(timed.expression.startsWith("at(") && { ActionAfterCompletion: "DELETE" }),
    Target: {
      Arn: timed.target,
      RoleArn: settings.SLIPWAY_SCHEDULER_ROLE_ARN,
      Input: JSON.stringify(timed.event),
      RetryPolicy: { MaximumEventAgeInSeconds: timed.longestDelaySeconds },
    },
  };
}
