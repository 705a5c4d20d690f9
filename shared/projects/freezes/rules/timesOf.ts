import { type CronTimes, parseCron } from "../../../base/common/schedule/cron.ts";
import { timeZoneProblem } from "../../../base/common/schedule/timeZone.ts";
import type { FreezeTimes } from "./freeze.ts";

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

/** The times of a freeze as they are sent: either a beginning and an end, or the three that belong to a cron expression. */
export interface SentTimes {
  start_time?: number | undefined;
  end_time?: number | undefined;
  cron?: string | undefined;
  time_zone?: string | undefined;
  duration_minutes?: number | undefined;
}

/** What is wrong with one of the fields, as users read it. */
export interface TimesProblem {
  field: keyof SentTimes;
  problem: string;
}

/** A year of minutes; anything longer is not a window. */
const maxMinutes = 366 * 1440;

/** Reads the times of a freeze. @returns every problem of theirs, naming the field and what would be right */
export function timesOf(sent: SentTimes): FreezeTimes | TimesProblem[] {
  const isCron = sent.cron !== undefined;
  const wrong: (keyof SentTimes)[] = isCron ? ["start_time", "end_time"] : ["time_zone", "duration_minutes"];
  const foreign = wrong.filter((field) => sent[field] !== undefined);
  const problems = foreign.map((field) => ({
    field,
    problem: isCron
      ? "must be left out with cron: a freeze has either start_time and end_time or cron, time_zone and duration_minutes"
      : "belongs to cron, which is missing; leave it out, or send cron instead of start_time and end_time",
  }));
  const times = isCron ? cronTimes(sent) : onceTimes(sent);
  if (Array.isArray(times)) return [...problems, ...times];
  return problems.length > 0 ? problems : times;
}

function onceTimes({ start_time, end_time }: SentTimes): FreezeTimes | TimesProblem[] {
  if (start_time === undefined && end_time === undefined)
    return [
      {
        field: "start_time",
        problem: "is missing: send start_time and end_time, or cron with time_zone and duration_minutes",
      },
    ];
  if (start_time === undefined)
    return [{ field: "start_time", problem: "is missing: in Unix seconds, before end_time" }];
  if (end_time === undefined) return [{ field: "end_time", problem: "is missing: in Unix seconds, after start_time" }];
  if (end_time <= start_time) return [{ field: "end_time", problem: `must be after start_time, ${start_time}` }];
  return { startTime: start_time, endTime: end_time };
}

function cronTimes({ cron = "", time_zone, duration_minutes }: SentTimes): FreezeTimes | TimesProblem[] {
  const problems: TimesProblem[] = [];
  const refuse = (field: keyof SentTimes, problem: string) => void problems.push({ field, problem });
  const times = parseCron(cron);
  if (typeof times === "string") refuse("cron", times);
  const zoneProblem =
    time_zone === undefined ? "is missing: an IANA time zone such as Europe/Berlin or UTC" : timeZoneProblem(time_zone);
  if (zoneProblem !== undefined) refuse("time_zone", zoneProblem);
  if (duration_minutes === undefined) refuse("duration_minutes", "is missing: how long it holds each time, in minutes");
  else if (duration_minutes < 1 || duration_minutes > maxMinutes)
    refuse("duration_minutes", `must be 1 to ${maxMinutes} minutes`);
  else if (typeof times !== "string") {
    const { least, most } = cronGaps(times);
    if (duration_minutes > least)
      refuse("duration_minutes", `must be at most ${least}: the cron expression comes again after so many minutes`);
    else if (duration_minutes >= most)
      refuse("duration_minutes", `must be less than ${most}: the freeze would never end; use start_time and end_time`);
  }
  if (problems.length > 0) return problems;
  return { cron: cron.trim(), timeZone: time_zone ?? "", durationMinutes: duration_minutes ?? 0 };
}
