import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Freeze, type FreezeTimes, isAbout } from "../../../../shared/projects/freezes/rules/freeze.ts";
import {
  freezeAt,
  freezesBetween,
  windowAfter,
  windowAt,
  windowsBetween,
} from "../../../../shared/projects/freezes/rules/windows.ts";

const second = (text: string): number => Date.parse(text) / 1000;
const shown = (window: { start: number; end: number } | undefined) =>
  window && [window.start, window.end].map((at) => new Date(at * 1000).toISOString().slice(0, 16));
const byCron = (cron: string, durationMinutes: number, timeZone = "UTC"): FreezeTimes => ({
  ...{ cron, timeZone, durationMinutes },
});
const freeze = (name: string, times: FreezeTimes, scope: Partial<Pick<Freeze, "projects" | "environments">> = {}) => {
  const by = { createdBy: "ada", updatedBy: "ada", createdAt: 0, updatedAt: 0 };
  return { freezeId: name, name, reason: "quiet", projects: [], environments: [], times, ...by, ...scope };
};

describe("a freeze that holds once", () => {
  const times = { startTime: 100, endTime: 200 };

  test.each([
    [99, undefined],
    [100, { start: 100, end: 200 }],
    [199, { start: 100, end: 200 }],
    [200, undefined],
  ])("at %i", (at, expected) => expect(windowAt(times, at)).toEqual(expected));

  test("comes next before it begins, and never again", () => {
    expect(windowAfter(times, 99)).toEqual({ start: 100, end: 200 });
    expect(windowAfter(times, 100)).toBeUndefined();
    expect(windowsBetween(times, 0, 100, 9)).toEqual([]);
    expect(windowsBetween(times, 199, 300, 9)).toHaveLength(1);
    expect(windowsBetween(times, 200, 300, 9)).toEqual([]);
  });
});

describe("a freeze by cron", () => {
  test.each([
    ["before it begins", "2026-03-02T21:59:59Z", undefined],
    ["at its first second", "2026-03-02T22:00:00Z", ["2026-03-02T22:00", "2026-03-03T06:00"]],
    ["over midnight", "2026-03-03T05:59:59Z", ["2026-03-02T22:00", "2026-03-03T06:00"]],
    ["at its end", "2026-03-03T06:00:00Z", undefined],
  ])("holds %s or not", (_, at, expected) => {
    expect(shown(windowAt(byCron("0 22 * * 1-5", 480), second(at)))).toEqual(expected);
  });

  test.each([
    ["in winter", "2026-03-27T12:00:00Z", ["2026-03-27T19:00", "2026-03-27T20:00"]],
    ["in summer", "2026-03-30T12:00:00Z", ["2026-03-30T18:00", "2026-03-30T19:00"]],
  ])("follows the clock of its time zone %s", (_, after, expected) => {
    expect(shown(windowAfter(byCron("0 20 * * *", 60, "Europe/Berlin"), second(after)))).toEqual(expected);
  });

  test("that begins in the hour which is left out begins behind it, and once in the hour that comes twice", () => {
    const night = byCron("30 2 * * *", 30, "Europe/Berlin");
    expect(shown(windowAfter(night, second("2026-03-28T12:00:00Z")))?.[0]).toBe("2026-03-29T01:00");
    const autumn = windowsBetween(night, second("2026-10-24T12:00:00Z"), second("2026-10-26T00:00:00Z"), 9);
    expect(autumn.map(shown)).toEqual([["2026-10-25T00:30", "2026-10-25T01:00"]]);
  });

  test("days that touch are one window", () => {
    const weekend = byCron("0 0 * * 6,0", 1440);
    const expected = ["2026-03-07T00:00", "2026-03-09T00:00"];
    expect(shown(windowAfter(weekend, second("2026-03-04T00:00:00Z")))).toEqual(expected);
    expect(shown(windowAt(weekend, second("2026-03-07T12:00:00Z")))?.[1]).toBe(expected[1]);
  });

  test.each([
    ["0 0 29 2 *", "2025-06-01T00:00:00Z", "2028-02-29T00:00"],
    ["0 9 ? * MON", "2026-03-03T00:00:00Z", "2026-03-09T09:00"],
    ["0 9 13 * *", "2026-03-03T00:00:00Z", "2026-03-13T09:00"],
  ])("%s comes next at its time", (cron, after, start) => {
    expect(shown(windowAfter(byCron(cron, 60), second(after)))?.[0]).toBe(start);
  });

  test("holds exactly in the windows that a range lists", () => {
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata");
    const crons = fc.constantFrom("0 22 * * *", "30 2 * * 6,0", "0 0 1 * *", "15 */6 * * *", "0 0 * * 6,0");
    fc.assert(
      fc.property(
        ...[crons, zones, fc.integer({ min: 1, max: 300 })],
        fc.integer({ min: second("2026-01-01T00:00:00Z"), max: second("2027-01-01T00:00:00Z") }),
        (cron, zone, minutes, at) => {
          const times = byCron(cron, minutes, zone);
          const around = windowsBetween(times, at - 90_000, at + 90_000, 100);
          const inside = around.some(({ start, end }) => start <= at && at < end);
          expect(windowAt(times, at) !== undefined).toBe(inside);
          const next = windowAfter(times, at);
          expect(next?.start).toBeGreaterThan(at);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("what a freeze is about", () => {
  const place = { projectKey: "shop", envKey: "live" };
  const environments = [{ projectKey: "shop", envKey: "live" }];

  test.each([
    ["everything", {}, place, true],
    ["the project", { projects: ["shop"] }, place, true],
    ["another project", { projects: ["other"] }, place, false],
    ["the environment", { environments }, place, true],
    ["another environment of the project", { environments }, { ...place, envKey: "edge" }, false],
    ["an environment, and none is known", { environments }, { projectKey: "shop" }, false],
    ["the project, and no environment is known", { projects: ["shop"] }, { projectKey: "shop" }, true],
  ])("%s", (_, scope, where, expected) => {
    expect(isAbout({ projects: [], environments: [], ...scope }, where)).toBe(expected);
  });

  test("of several that hold the one that holds longest is told", () => {
    const [short, long] = [
      { startTime: 0, endTime: 20 },
      { startTime: 0, endTime: 30 },
    ];
    const all = [
      freeze("short", short),
      freeze("long", long),
      freeze("other", { startTime: 0, endTime: 90 }, { projects: ["other"] }),
    ];
    expect(freezeAt(all, place, 10)).toMatchObject({ freeze: { name: "long" }, end: 30 });
    expect(freezeAt(all, place, 25)).toMatchObject({ freeze: { name: "long" } });
    expect(freezeAt(all, place, 30)).toBeUndefined();
  });

  test("what lies ahead is told by its start", () => {
    const all = [freeze("once", { startTime: 5000, endTime: 5001 }), freeze("hourly", byCron("0 * * * *", 1))];
    const ahead = freezesBetween(all, [place], { from: 0, to: 8000, most: 9 });
    expect(ahead.map(({ freeze: { name }, start }) => [name, start])).toEqual([
      ["hourly", 0],
      ["hourly", 3600],
      ["once", 5000],
      ["hourly", 7200],
    ]);
  });
});
