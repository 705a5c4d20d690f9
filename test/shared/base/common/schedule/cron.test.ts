import { Cron } from "croner";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseExpression } from "../../../../../infra/local/aws/scheduler/expression.ts";
import { parseCron } from "../../../../../shared/base/common/schedule/cron.ts";
import { schedulerCron } from "../../../../../shared/base/common/schedule/schedulerCron.ts";
import { timeZoneProblem } from "../../../../../shared/base/common/schedule/timeZone.ts";

function forScheduler(text: string): string {
  const times = parseCron(text);
  return typeof times === "string" ? times : schedulerCron(times);
}

describe("a cron expression of five fields", () => {
  test.each([
    ["0 20 * * 1-5", "cron(0 20 ? * 2-6 *)"],
    ["*/15 * * * *", "cron(0,15,30,45 * * * ? *)"],
    ["0 8 * * mon-FRI", "cron(0 8 ? * 2-6 *)"],
    ["30 6 1,15 * *", "cron(30 6 1,15 * ? *)"],
    ["0 0 1 jan *", "cron(0 0 1 1 ? *)"],
    ["0 22 ? * 5-7", "cron(0 22 ? * 1,6-7 *)"],
    ["0 22 * * 0,7", "cron(0 22 ? * 1 *)"],
    ["5/20 9-17/4 * */6 *", "cron(5,25,45 9,13,17 * 1,7 ? *)"],
    ["  0   20  *  *  * ", "cron(0 20 * * ? *)"],
    ["0 0 29 2 *", "cron(0 0 29 2 ? *)"],
    ["0 0 * * 0-7", "cron(0 0 * * ? *)"],
  ])("%s is %s for the scheduler", (text, expected) => {
    expect(forScheduler(text)).toBe(expected);
  });

  test.each([
    ["60 20 * * *", 'minute "60" is wrong: use 0 to 59'],
    ["0 24 * * *", 'hour "24" is wrong: use 0 to 23'],
    ["0 20 0 * *", 'day of month "0" is wrong: use 1 to 31'],
    ["0 20 * 13 *", 'month "13" is wrong: use 1 to 12 or JAN to DEC'],
    ["0 20 * * 8", 'day of week "8" is wrong: use 0 to 7 or SUN to SAT'],
    ["0 20 * * FRI-MON", 'day of week "FRI-MON" is wrong'],
    ["*/0 20 * * *", 'minute "*/0" is wrong'],
    ["? 20 * * *", 'minute "?" is wrong'],
    ["1, 20 * * *", 'minute "1," is wrong'],
    ["0 20 * * *x", 'day of week "*x" is wrong'],
    ["x y * * *", 'minute "x" is wrong'],
    ["x y * * *", 'hour "y" is wrong'],
    ["0 20 * *", "must have five fields"],
    ["0 0 20 * * ?", "it has 6"],
    ["@daily", "it has 1"],
    ["", "it has 0"],
    ["0 20 1 * 1", "set one of the two to *"],
    ["0 20 31 2,4 *", "never comes: no month that it names has a day 31"],
    ["0 20 30 2 *", "never comes"],
  ])("%s is refused: %s", (text, problem) => {
    expect(parseCron(text)).toContain(problem);
  });

  const field = (least: number, most: number) => {
    const number = fc.integer({ min: least, max: most });
    const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
    const stepped = fc
      .tuple(fc.oneof(fc.constant("*"), range), fc.integer({ min: 1, max: Math.min(most, 20) }))
      .map(([start, step]) => `${start}/${step}`);
    const item = fc.oneof(number.map(String), range, stepped);
    return fc.oneof(
      fc.constant("*"),
      fc.array(item, { minLength: 1, maxLength: 8 }).map((items) => items.join(",")),
    );
  };
  const days = fc.oneof(
    fc.tuple(field(1, 28), fc.constant("*")),
    fc.tuple(fc.constant("*"), field(0, 7)),
    fc.tuple(fc.constant("?"), field(0, 7)),
  );
  const expressions = fc
    .tuple(field(0, 59), field(0, 23), days, field(1, 12))
    .map(([minute, hour, [dayOfMonth, dayOfWeek], month]) => [minute, hour, dayOfMonth, month, dayOfWeek].join(" "));

  test("comes at the same times as the scheduler's expression for it, which is never too long", () => {
    fc.assert(
      fc.property(expressions, (text) => {
        const expression = forScheduler(text);
        expect(expression.length).toBeLessThanOrEqual(256);
        const theirs = new Cron(text.replace("?", "*"), { timezone: "UTC", paused: true, mode: "5-part" });
        const ours = parseExpression(expression, "UTC", 0);
        let after = Date.parse("2026-01-31T23:30:00Z");
        for (let count = 0; count < 5; count++) {
          const next = theirs.nextRun(new Date(after))?.getTime();
          expect(ours.next(after), `${text} after ${new Date(after).toISOString()}`).toBe(next);
          after = next ?? after;
        }
      }),
      { numRuns: 200 },
    );
  });

  test("is read or refused, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789*/-,? SUNMOJAx") }), (text) => {
        expect(["string", "object"]).toContain(typeof parseCron(text));
      }),
    );
  });
});

describe("a time zone", () => {
  test.each([
    "UTC",
    "Europe/Berlin",
    "Asia/Shanghai",
    "America/Argentina/Buenos_Aires",
    "Asia/Kolkata",
    "Etc/GMT+5",
    "US/Eastern",
  ])("%s is one", (name) => expect(timeZoneProblem(name)).toBeUndefined());

  test.each([
    "",
    "Mars/Olympus",
    "+08:00",
    "CET-1CEST",
    "CST",
    "GMT",
    "utc",
    "Etc/utc",
    "asia/kolkata",
    "SystemV/EST5",
    "Europe/Berlin ",
    "x".repeat(60),
  ])("%j is none", (name) => {
    expect(timeZoneProblem(name)).toContain("must be an IANA time zone");
  });

  test("is spelled as IANA does", () => {
    expect(timeZoneProblem("europe/berlin")).toBe("is written Europe/Berlin");
  });
});
