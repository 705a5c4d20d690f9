import { setTimeout as delay } from "node:timers/promises";
import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { awsRegion, config, keptWithConfig } from "../../settings/config.ts";
import type { Schedules, TimedEvent } from "../adapters.ts";

const maxTries = 6;
const firstPauseMilliseconds = 50;

/**
 * Does something to a schedule again, with jitter, as long as another process changes the same one at that moment: the
 * SDK repeats no conflict itself. `work` reads what it depends on again each time.
 * @throws ConflictException after the last try, two seconds later
 */
async function repeatConflicts<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConflictException) || tries === maxTries) throw error;
      await delay(Math.random() * firstPauseMilliseconds * 2 ** tries);
    }
  }
}

const scheduler = keptWithConfig(() => new SchedulerClient(awsRegion()));

/** May be repeated, also at the same moment. */
export const put: Schedules["put"] = async (timed) => {
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
};

export const remove: Schedules["remove"] = async (Name) => {
  const GroupName = config().SLIPWAY_SCHEDULE_GROUP;
  try {
    await repeatConflicts(() => scheduler().send(new DeleteScheduleCommand({ Name, GroupName })));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
};

/** Several may do so at the same moment. */
export const setState: Schedules["setState"] = async (Name, State) => {
  const { SLIPWAY_SCHEDULE_GROUP: GroupName } = config();
  await repeatConflicts(async () => {
    const schedule = await scheduler().send(new GetScheduleCommand({ Name, GroupName }));
    if (schedule.State === State) return;
    const { ScheduleExpression, FlexibleTimeWindow, Target } = schedule;
    await scheduler().send(
      new UpdateScheduleCommand({ Name, GroupName, State, ScheduleExpression, FlexibleTimeWindow, Target }),
    );
  });
};

function inputOf(timed: TimedEvent): CreateScheduleCommandInput {
  const settings = config();
  const failedEvents = settings.SLIPWAY_FAILED_EVENTS_ARN;
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
      ...(failedEvents !== undefined && { DeadLetterConfig: { Arn: failedEvents } }),
    },
  };
}
