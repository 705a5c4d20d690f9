import { describe, expect, test } from "vitest";
import { parseCron } from "../../../../shared/base/common/schedule/cron.ts";
import { cronGaps, type SentTimes, timesOf } from "../../../../shared/projects/freezes/rules/timesOf.ts";

const once = { start_time: 10, end_time: 20 };
const nightly = { cron: "0 22 * * *", time_zone: "Europe/Berlin", duration_minutes: 480 };

describe("the times of a freeze", () => {
  test("are two times, or three fields about a cron expression", () => {
    expect(timesOf(once)).toEqual({ startTime: 10, endTime: 20 });
    expect(timesOf(nightly)).toEqual({ cron: "0 22 * * *", timeZone: "Europe/Berlin", durationMinutes: 480 });
  });

  test.each<[string, SentTimes, string, string]>([
    ["neither", {}, "start_time", "send start_time and end_time, or cron"],
    ["no end", { start_time: 1 }, "end_time", "is missing"],
    ["no beginning", { end_time: 1 }, "start_time", "is missing"],
    ["an end before the start", { start_time: 20, end_time: 10 }, "end_time", "must be after start_time, 20"],
    ["no second between", { start_time: 20, end_time: 20 }, "end_time", "must be after start_time"],
    ["both", { ...once, ...nightly }, "start_time", "must be left out with cron"],
    ["a time zone without cron", { ...once, time_zone: "UTC" }, "time_zone", "belongs to cron"],
    ["no time zone", { ...nightly, time_zone: undefined }, "time_zone", "is missing"],
    ["an unknown time zone", { ...nightly, time_zone: "Europe/Berlinn" }, "time_zone", "IANA time zone"],
    ["no duration", { ...nightly, duration_minutes: undefined }, "duration_minutes", "is missing"],
    ["no minute", { ...nightly, duration_minutes: 0 }, "duration_minutes", "must be 1 to"],
    ["minutes below none", { ...nightly, duration_minutes: -5 }, "duration_minutes", "must be 1 to"],
    ["more than its period", { ...nightly, duration_minutes: 1441 }, "duration_minutes", "must be at most 1440"],
    ["all the time", { ...nightly, duration_minutes: 1440 }, "duration_minutes", "never end"],
    ["six fields", { ...nightly, cron: "0 0 22 * * *" }, "cron", "must have five fields"],
    ["a day that never comes", { ...nightly, cron: "0 0 30 2 *" }, "cron", "never comes"],
    ["text", { ...nightly, cron: "at night" }, "cron", "must have five fields"],
  ])("with %s are refused by the field", (_, sent, field, problem) => {
    expect(timesOf(sent)).toContainEqual({ field, problem: expect.stringContaining(problem) });
  });

  test.each([
    ["0 22 * * *", 1440, 1440],
    ["0 0 * * 6,0", 1440, 6 * 1440],
    ["0 8,20 * * *", 720, 720],
    ["0 8,20 * * 1-5", 720, 2 * 1440 + 720],
    ["*/7 * * * *", 4, 7],
    ["0 0 1 * *", 28 * 1440, 31 * 1440],
    ["0 0 29 2 *", 1461 * 1440, 1461 * 1440],
    ["* * * * *", 1, 1],
  ])("%s comes again after %i to %i minutes", (cron, least, most) => {
    const times = parseCron(cron);
    if (typeof times === "string") throw new Error(times);
    expect(cronGaps(times)).toEqual({ least, most });
  });
});
