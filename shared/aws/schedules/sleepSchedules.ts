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
  /** As EventBridge Scheduler writes it. */
  expression: string;
  timeZone: string;
  /** Given to the function `sleep-schedule`, with `time`, the time that it was due at. */
  event: Readonly<Record<string, unknown>>;
}

/** What was due while nothing could be invoked is made up for within an hour. */
const longestDelaySeconds = 3600;

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

function inputOf({ name, expression, timeZone, event }: TimedEvent): CreateScheduleCommandInput {
  const settings = config();
  return {
    Name: name,
    GroupName: settings.SLIPWAY_SCHEDULE_GROUP,
    ScheduleExpression: expression,
    ScheduleExpressionTimezone: timeZone,
    FlexibleTimeWindow: { Mode: "OFF" },
    State: "ENABLED",
    Target: {
      Arn: settings.SLIPWAY_SLEEP_SCHEDULE_ARN,
      RoleArn: settings.SLIPWAY_SCHEDULER_ROLE_ARN,
      Input: JSON.stringify({ ...event, time: "<aws.scheduler.scheduled-time>" }),
      RetryPolicy: { MaximumEventAgeInSeconds: longestDelaySeconds },
    },
  };
}
