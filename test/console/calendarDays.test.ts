import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { barsOf, isDay, plusDays, plusSpans, secondsOf, weeksOf } from "../../console/src/calendarDays.ts";

const zone = process.env.TZ;
const at = (text: string): number => new Date(text).getTime() / 1000;
const lasting = (start: string, end: string) => ({ start: at(start), end: at(end) });

describe("days of the calendar, where clocks are changed", () => {
  beforeAll(() => {
    process.env.TZ = "Europe/Berlin";
  });
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test("a month has the weeks that it has a day in, from Monday", () => {
    expect(weeksOf("month", "2026-02-14")).toEqual([
      "2026-01-26",
      "2026-02-02",
      "2026-02-09",
      "2026-02-16",
      "2026-02-23",
    ]);
    expect(weeksOf("month", "2027-02-01")).toEqual(["2027-02-01", "2027-02-08", "2027-02-15", "2027-02-22"]);
    expect(weeksOf("week", "2026-11-29")).toEqual(["2026-11-23"]);
  });

  test("days and months are added over changes of the clock and of the year", () => {
    expect(plusDays("2026-10-24", 2)).toBe("2026-10-26");
    expect(plusDays("2026-03-30", -2)).toBe("2026-03-28");
    expect(plusSpans("month", "2026-01-31", 1)).toBe("2026-02-01");
    expect(plusSpans("month", "2026-01-31", -1)).toBe("2025-12-01");
    expect(plusSpans("week", "2026-12-30", 1)).toBe("2027-01-06");
  });

  test("a week lasts as long as its clocks say", () => {
    const hours = (monday: string): number => {
      const { from, to } = secondsOf([monday]);
      return (to + 1 - from) / 3600;
    };
    expect(["2026-10-19", "2026-03-23", "2026-06-01"].map(hours)).toEqual([169, 167, 168]);
  });

  test("only days that there are come from addresses", () => {
    expect(["2026-11-26", "2026-02-30", "26-11-26", "0000-00-00", 20_261_126, "2024-02-29"].filter(isDay)).toEqual([
      "2026-11-26",
      "2024-02-29",
    ]);
  });

  test("something stands at the hours that clocks showed, behind the hour that comes twice too", () => {
    const monday = lasting("2026-10-26T00:00:00+01:00", "2026-10-27T12:30:00+01:00");
    const sunday = lasting("2026-10-25T01:00:00+02:00", "2026-10-25T22:00:00+01:00");
    expect(barsOf([monday], "2026-10-19", "week")).toEqual([]);
    expect(barsOf([monday], "2026-10-26", "week")).toMatchObject([{ from: 0, to: 37, lane: 0 }]);
    // What is short is drawn as wide as its name needs, inside of the week.
    expect(barsOf([sunday], "2026-10-19", "week")).toMatchObject([{ from: 132, to: 168 }]);
    expect(barsOf([sunday], "2026-10-19", "month")).toMatchObject([{ from: 144, to: 168 }]);
  });

  test("what began before and ends after a week fills it; what ends at its first midnight is not in it", () => {
    const long = lasting("2026-01-01T00:00:00+01:00", "2026-12-31T00:00:00+01:00");
    const over = lasting("2026-06-05T00:00:00+02:00", "2026-06-08T00:00:00+02:00");
    const moment = lasting("2026-06-08T00:00:00+02:00", "2026-06-08T00:00:00+02:00");
    expect(barsOf([long, over, moment], "2026-06-08", "month")).toMatchObject([
      { item: long, from: 0, to: 168, lane: 0 },
      { item: moment, from: 0, to: 24, lane: 1 },
    ]);
    expect(barsOf([over], "2026-06-01", "month")).toMatchObject([{ from: 96, to: 168 }]);
  });

  test("a lane is used again behind what stands in it", () => {
    const day = (from: number, to: number) =>
      lasting(`2026-06-0${from}T09:00:00+02:00`, `2026-06-0${to}T10:00:00+02:00`);
    const lanes = barsOf([day(1, 3), day(2, 2), day(3, 4), day(4, 6), day(5, 5)], "2026-06-01", "month");
    expect(lanes.map(({ lane }) => lane)).toEqual([0, 1, 1, 0, 1]);
  });
});
