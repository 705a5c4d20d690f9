import { Cron } from "croner";
import { type CronTimes, parseCron } from "../../../base/common/schedule/cron.ts";
import type { Freeze, FreezePlace, FreezeTimes } from "./freeze.ts";
import { isAbout } from "./freeze.ts";

/** A time in which a freeze holds, Unix seconds; it no longer does at `end`. */
export interface FreezeWindow {
  start: number;
  end: number;
}

/** A freeze with one of its windows. */
export interface FreezeInWindow extends FreezeWindow {
  freeze: Freeze;
}

/** Windows that touch are one, up to so many: a longer row is cut there, and the next window begins where it ends. */
const maxJoined = 400;

/** The windows that end after `from`, in their order; windows by cron never come to an end. */
export function* windowsFrom(times: FreezeTimes, from: number): Generator<FreezeWindow, void> {
  if (!("cron" in times)) {
    if (times.endTime > from) yield { start: times.startTime, end: times.endTime };
    return;
  }
  const seconds = times.durationMinutes * 60;
  const after = startsOf(times);
  let start = after(from - seconds);
  while (start !== undefined) {
    let end = start + seconds;
    let next = after(start);
    for (let joined = 1; next !== undefined && next <= end && joined < maxJoined; joined++) {
      end = next + seconds;
      next = after(next);
    }
    yield { start, end };
    start = next;
  }
}

/** The window that holds at a time, when one does. */
export function windowAt(times: FreezeTimes, at: number): FreezeWindow | undefined {
  const [first] = windowsFrom(times, at);
  return first !== undefined && first.start <= at ? first : undefined;
}

/** The first window that begins after a time. */
export function windowAfter(times: FreezeTimes, at: number): FreezeWindow | undefined {
  for (const window of windowsFrom(times, at)) if (window.start > at) return window;
  return undefined;
}

/** The windows that share a second with the range from `from` until before `to`, at most so many. */
export function windowsBetween(times: FreezeTimes, from: number, to: number, most: number): FreezeWindow[] {
  const found: FreezeWindow[] = [];
  for (const window of windowsFrom(times, from)) {
    if (window.start >= to || found.length === most) break;
    found.push(window);
  }
  return found;
}

/** The freeze that holds for a place at a time; of several the one that holds longest. */
export function freezeAt(freezes: readonly Freeze[], place: FreezePlace, at: number): FreezeInWindow | undefined {
  return freezes
    .filter((freeze) => isAbout(freeze, place))
    .flatMap((freeze) => {
      const window = windowAt(freeze.times, at);
      return window === undefined ? [] : [{ freeze, ...window }];
    })
    .reduce<FreezeInWindow | undefined>(
      (last, one) => (last === undefined || one.end > last.end ? one : last),
      undefined,
    );
}

/** The windows of freezes about any of the places between two times, by their start; at most so many a freeze. */
export function freezesBetween(
  freezes: readonly Freeze[],
  places: readonly FreezePlace[],
  { from, to, most }: { from: number; to: number; most: number },
): FreezeInWindow[] {
  return freezes
    .filter((freeze) => places.some((place) => isAbout(freeze, place)))
    .flatMap((freeze) => windowsBetween(freeze.times, from, to, most).map((window) => ({ freeze, ...window })))
    .sort((a, b) => a.start - b.start);
}

/** When a cron expression says so next, after a time. Of an hour that comes twice the first counts, where one is named. */
function startsOf({ cron, timeZone }: { cron: string; timeZone: string }): (after: number) => number | undefined {
  const times = parseCron(cron);
  if (typeof times === "string") throw new Error(`cron ${cron}: ${times}`);
  const starts = new Cron(plainCron(times), { timezone: timeZone, paused: true });
  return (after) => {
    const next = starts.nextRun(new Date(after * 1000));
    return next === null ? undefined : Math.floor(next.getTime() / 1000);
  };
}

/** In numbers alone, because libraries differ in what names and `?` mean. */
function plainCron({ minutes, hours, daysOfMonth, months, daysOfWeek }: CronTimes): string {
  const field = (values: readonly number[], all: number) => (values.length === all ? "*" : values.join(","));
  const days = [field(daysOfMonth, 31), field(months, 12), field(daysOfWeek, 7)];
  return [field(minutes, 60), field(hours, 24), ...days].join(" ");
}
