import { expect, test } from "vitest";
import { Pace } from "../../../../functions/triggers/change-socket/tell.ts";

/** How many messages a connection gets in so many hours when something changes every second. @param begin Unix milliseconds */
function sentWhileBusy(pace: Pace, begin: number, hours: number): number {
  let sent = 0;
  for (let at = begin; at < begin + hours * 3600_000; at += 1000)
    if (pace.isDue(at)) {
      pace.take();
      sent += 1;
    }
  return sent;
}

test("a connection gets a message a second for a minute, then one each ten seconds: 2,940 in eight hours at most", () => {
  const begin = 1_800_000_000_000;
  expect(sentWhileBusy(new Pace(begin), begin, 1 / 60)).toBe(60);
  expect(sentWhileBusy(new Pace(begin), begin, 8)).toBeLessThanOrEqual(2940);
  expect(sentWhileBusy(new Pace(begin), begin, 8)).toBeGreaterThan(2900);
});

test("what it did not get it may get later, up to a minute's worth", () => {
  const begin = 1_800_000_000_000;
  const pace = new Pace(begin);
  sentWhileBusy(pace, begin, 1);
  expect(pace.isDue(begin + 3600_000 - 1)).toBe(false);
  const later = begin + 24 * 3600_000;
  expect(sentWhileBusy(pace, later, 1 / 60)).toBeGreaterThanOrEqual(60);
});
