import type { CronTimes } from "../../common/schedule/cron.ts";

/** Two leap years apart from each other, so that every pattern of days has come. */
const years = 8;
const firstDay = Date.UTC(2024, 0, 1);
const dayMilliseconds = 86_400_000;
const dayMinutes = 1440;

/** Minutes on the clock between a time that a cron expression names and the next one: the least and the most. */
export function cronGaps({ minutes, hours, daysOfMonth, months, daysOfWeek }: CronTimes): {
  least: number;
  most: number;
} {
  const inDay = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const gaps = gapsIn(inDay);
  const overNight = (inDay[0] ?? 0) - (inDay.at(-1) ?? 0);
  for (const days of new Set(gapsIn(daysOf({ daysOfMonth, months, daysOfWeek }))))
    gaps.push(days * dayMinutes + overNight);
  return {
    least: gaps.reduce((least, gap) => Math.min(least, gap), Number.POSITIVE_INFINITY),
    most: gaps.reduce((most, gap) => Math.max(most, gap), 0),
  };
}

function daysOf({ daysOfMonth, months, daysOfWeek }: Pick<CronTimes, "daysOfMonth" | "months" | "daysOfWeek">) {
  return Array.from({ length: years * 366 }, (_, day) => day).filter((day) => {
    const date = new Date(firstDay + day * dayMilliseconds);
    return (
      daysOfMonth.includes(date.getUTCDate()) &&
      months.includes(date.getUTCMonth() + 1) &&
      daysOfWeek.includes(date.getUTCDay())
    );
  });
}

function gapsIn(sorted: readonly number[]): number[] {
  return sorted.slice(1).map((value, at) => value - (sorted[at] ?? 0));
}
