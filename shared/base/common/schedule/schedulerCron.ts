import type { CronTimes } from "./cron.ts";

/**
 * The same times in the six fields of EventBridge Scheduler: days of the week count from 1, Sunday, one of the two kinds of
 * day is `?`, and there is a year.
 */
export function schedulerCron({ minutes, hours, daysOfMonth, months, daysOfWeek }: CronTimes): string {
  const anyWeekday = daysOfWeek.length === 7;
  const parts = [
    list(minutes, 60),
    list(hours, 24),
    anyWeekday ? list(daysOfMonth, 31) : "?",
    list(months, 12),
    anyWeekday
      ? "?"
      : list(
          daysOfWeek.map((day) => day + 1),
          7,
        ),
    "*",
  ];
  return `cron(${parts.join(" ")})`;
}

/** Numbers with their runs as ranges, so that no expression passes the service's 256 characters. */
function list(values: readonly number[], all: number): string {
  if (values.length === all) return "*";
  const runs: [number, number][] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
