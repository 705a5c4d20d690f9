import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type CronTimes, parseCron } from "../../../../shared/base/common/schedule/cron.ts";
import { timeZoneProblem } from "../../../../shared/base/common/schedule/timeZone.ts";

/** The problem of a value as `check` tells it. */
function checked<T>(check: (value: T) => string | undefined) {
  return (value: T, context: z.RefinementCtx): void => {
    const message = check(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  };
}

const cron = (when: string) =>
  z
    .string()
    .max(256)
    .superRefine(checked((text) => (typeof timesOf(text) === "string" ? String(timesOf(text)) : undefined)))
    .default("")
    .meta({ description: `Cron expression with five fields: when it ${when}; empty: never` });

function timesOf(text: string): CronTimes | string | undefined {
  return text === "" ? undefined : parseCron(text);
}

/** Decisions 6.7. */
export const sleepSettings = z
  .object({
    sleep_cron: cron("falls asleep"),
    awake_cron: cron("wakes"),
    time_zone: z
      .string()
      .superRefine(checked(timeZoneProblem))
      .default("UTC")
      .meta({ description: "IANA time zone, such as Europe/Berlin" }),
    enabled: z.boolean(),
  })
  .superRefine(({ sleep_cron, awake_cron, enabled }, context) => {
    const problem = (message: string) => context.addIssue({ code: "custom", path: ["awake_cron"], message });
    const asleep = timesOf(sleep_cron);
    if (enabled && sleep_cron === "" && awake_cron === "")
      problem("or sleep_cron is needed in a schedule that is enabled");
    if (asleep !== undefined && isDeepStrictEqual(asleep, timesOf(awake_cron)))
      problem("names the same times as sleep_cron; an environment cannot fall asleep and wake at once");
  });

export const sleepSchedule = z
  .object({ sleep_cron: z.string(), awake_cron: z.string(), time_zone: z.string(), enabled: z.boolean() })
  .meta({ id: "SleepSchedule" });
