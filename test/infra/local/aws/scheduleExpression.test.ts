import { expect, it } from "vitest";
import { parseExpression } from "../../../../infra/local/aws/scheduler/expression.ts";

const START = Date.parse("2026-01-01T00:00:00Z");

function times(text: string, timeZone: string, count: number): string[] {
  const expression = parseExpression(text, timeZone, START);
  const found: string[] = [];
  for (let after = START - 1; found.length < count; ) {
    const next = expression.next(after);
    if (next === undefined) break;
    found.push(new Date(next).toISOString().slice(0, 16));
    after = next;
  }
  return found;
}

it.each([
  ["rate(1 minute)", "UTC", ["2026-01-01T00:00", "2026-01-01T00:01"]],
  ["rate(12 hours)", "UTC", ["2026-01-01T00:00", "2026-01-01T12:00"]],
  ["rate(1 day)", "Asia/Tokyo", ["2026-01-01T00:00", "2026-01-02T00:00"]],
  ["cron(0 8 * * ? *)", "UTC", ["2026-01-01T08:00", "2026-01-02T08:00"]],
  ["cron(0 8 * * ? *)", "Europe/Berlin", ["2026-01-01T07:00", "2026-01-02T07:00"]],
  ["cron(15 10 ? * 2-6 *)", "UTC", ["2026-01-01T10:15", "2026-01-02T10:15", "2026-01-05T10:15"]],
  ["cron(0 12 ? * 1 *)", "UTC", ["2026-01-04T12:00", "2026-01-11T12:00"]],
  ["cron(0 12 ? * SUN *)", "UTC", ["2026-01-04T12:00", "2026-01-11T12:00"]],
  ["cron(15 10 ? * 6L 2026-2027)", "UTC", ["2026-01-30T10:15", "2026-02-27T10:15"]],
  ["cron(0 9 ? * 2#1 *)", "UTC", ["2026-01-05T09:00", "2026-02-02T09:00"]],
  ["cron(0 9 L * ? *)", "UTC", ["2026-01-31T09:00", "2026-02-28T09:00"]],
  ["cron(0 9 15W * ? *)", "UTC", ["2026-01-15T09:00", "2026-02-16T09:00"]],
  [
    "cron(0/20 1,13 1 JAN ? 2026)",
    "UTC",
    ["2026-01-01T01:00", "2026-01-01T01:20", "2026-01-01T01:40", "2026-01-01T13:00"],
  ],
  ["cron(0 0 1 1 ? 2020)", "UTC", []],
  // The clock goes from 2 to 3 on 2026-03-29: the day has no half past two.
  ["cron(30 2 28-30 3 ? *)", "Europe/Berlin", ["2026-03-28T01:30", "2026-03-30T00:30"]],
  // And from 3 back to 2 on 2026-10-25: half past two comes twice and counts once.
  ["cron(30 2 25-26 10 ? *)", "Europe/Berlin", ["2026-10-25T00:30", "2026-10-26T01:30"]],
  ["at(2026-06-01T12:00:00)", "America/New_York", ["2026-06-01T16:00"]],
])("%s in %s is due at %j", (text, timeZone, expected) => {
  expect(times(text, timeZone, Math.max(expected.length, 1))).toEqual(expected);
});

it.each([
  "rate(0 minutes)",
  "rate(5 seconds)",
  "rate(-1 hours)",
  "cron(0 8 * * *)",
  "cron(0 8 * * * *)",
  "cron(0 8 ? * ? *)",
  "cron(61 8 * * ? *)",
  "cron(0 8 ? * 8 *)",
  "at(2026-13-01T00:00:00)",
  "at(tomorrow)",
  "every day",
])("%s is refused", (text) => {
  expect(() => parseExpression(text, "UTC", START)).toThrow("Invalid Schedule Expression");
});

it("an unknown time zone is refused", () => {
  expect(() => parseExpression("cron(0 8 * * ? *)", "Mars/Olympus", START)).toThrow("Mars/Olympus");
});
