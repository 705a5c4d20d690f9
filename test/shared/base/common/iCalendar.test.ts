import * as fc from "fast-check";
import ICAL from "ical.js";
import { describe, expect, test } from "vitest";
import { type CalendarEvent, iCalendar } from "../../../../shared/base/common/iCalendar.ts";

/** The end of the year 9999. */
const lastSecond = 253_402_300_799;

const event: CalendarEvent = {
  ...{ uid: "plan-1@slipway", start: 1_700_000_000, end: 1_700_000_060, summary: "May", description: "a; b, c" },
  ...{ category: "plan", status: "TENTATIVE", url: "https://slipway.example.com/v1/releasePlan/detail?id=1" },
};

/** The text as an independent reader of RFC 5545 understands it. */
function read(text: string): ICAL.Event[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents("vevent").map((component) => new ICAL.Event(component));
}

describe("a calendar", () => {
  test("is read back by another program: times in UTC, texts, status and address", () => {
    const text = iCalendar("Release plans", [event, { ...event, uid: "2", end: event.start, url: undefined }], 9);
    const [first, second] = read(text);
    expect(first).toMatchObject({ uid: event.uid, summary: "May", description: "a; b, c" });
    expect([first?.startDate.toUnixTime(), first?.endDate.toUnixTime()]).toEqual([event.start, event.end]);
    expect([first?.startDate.zone.tzid, first?.startDate.isDate]).toEqual(["UTC", false]);
    const of = (name: string) => String(first?.component.getFirstPropertyValue(name));
    expect([of("status"), of("url"), of("categories")]).toEqual(["TENTATIVE", event.url, "plan"]);
    expect(of("dtstamp")).toBe("1970-01-01T00:00:09Z");
    expect([second?.component.hasProperty("dtend"), second?.component.hasProperty("url")]).toEqual([false, false]);
    expect(second?.endDate.toUnixTime()).toBe(event.start);
  });

  test("without events is one that can be read", () => {
    expect(read(iCalendar("none", [], 1))).toEqual([]);
  });

  test("keeps every text and time, in lines of at most 75 octets that end in CRLF and split no character", () => {
    const words = fc.string({ unit: "grapheme", maxLength: 256 });
    const time = fc.integer({ min: 0, max: lastSecond });
    fc.assert(
      fc.property(words, words, time, time, (summary, description, start, end) => {
        const text = iCalendar("all", [{ ...event, summary, description, start, end }], 1);
        const lines = text.split("\r\n");
        expect(lines.pop()).toBe("");
        for (const line of lines) expect([line, Buffer.byteLength(line) <= 75]).toEqual([line, true]);
        expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
        expect(Buffer.from(text).toString()).toBe(text);
        const [found] = read(text);
        expect([found?.summary, found?.description]).toEqual([summary, description]);
        expect(found?.startDate.toUnixTime()).toBe(start);
        expect(found?.endDate.toUnixTime()).toBe(Math.max(start, end));
      }),
    );
  });

  test("breaks lines where the text does, and leaves out other control characters", () => {
    const summary = "one\r\ntwo\nthree\rfour\tfive\u0000\u001b\u007f\u0085";
    expect(read(iCalendar("all", [{ ...event, summary }], 1))[0]?.summary).toBe("one\ntwo\nthree\nfour\tfive");
  });
});
