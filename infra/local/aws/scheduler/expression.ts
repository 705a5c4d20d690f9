import { Cron } from "croner";

/** When a schedule is due: the first time after `afterMs`, undefined when there is none. All times are Unix milliseconds. */
export type Expression = { isOneTime: boolean; next(afterMs: number): number | undefined };

const RATE_UNITS_MILLISECONDS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * Reads `rate(…)`, `cron(…)` with six fields and `at(…)` as EventBridge Scheduler does. A rate counts from `anchorMs`,
 * its first time; the other two are read in the time zone.
 * @throws Error
 */
export function parseExpression(text: string, timeZone: string, anchorMs: number): Expression {
  try {
    const [, kind, body = ""] = /^(rate|cron|at)\((.+)\)$/.exec(text) ?? [];
    if (kind === "rate") return rate(body, anchorMs);
    if (kind === "cron") return recurring(cronPattern(body), timeZone);
    if (kind === "at") return oneTime(body, timeZone);
    throw new Error("expected rate(value unit), cron(six fields) or at(yyyy-mm-ddThh:mm:ss)");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Invalid Schedule Expression ${text}. ${reason}`, { cause: error });
  }
}

function rate(body: string, anchorMs: number): Expression {
  const [, value, unit] = /^([1-9]\d{0,8}) (minute|hour|day)s?$/.exec(body) ?? [];
  if (value === undefined || (unit !== "minute" && unit !== "hour" && unit !== "day")) {
    throw new Error("a rate is a positive number and minutes, hours or days");
  }
  const period = Number(value) * RATE_UNITS_MILLISECONDS[unit];
  const turn = (afterMs: number) => Math.max(Math.floor((afterMs - anchorMs) / period) + 1, 0);
  return { isOneTime: false, next: (afterMs) => anchorMs + turn(afterMs) * period };
}

/** AWS counts the days of the week from 1, Sunday, and wants a `?` for the one kind of day that is not looked at. */
function cronPattern(body: string): string {
  const fields = body.trim().split(/\s+/);
  if (fields.length !== 6)
    throw new Error("six fields are expected: minutes hours day-of-month month day-of-week year");
  const [minutes, hours, dayOfMonth, month, dayOfWeek, year] = fields;
  if ((dayOfMonth === "?") === (dayOfWeek === "?")) throw new Error("one of day-of-month and day-of-week must be ?");
  if (/(?<![\d#/])(?:[089]|\d\d)/.test(dayOfWeek ?? "")) throw new Error("days of the week are 1 to 7 or SUN to SAT");
  return ["0", minutes, hours, dayOfMonth, month, dayOfWeek === "L" ? "SAT" : dayOfWeek, year].join(" ");
}

/** A time that a change of the clock leaves out is left out, as AWS does; the library would move it to the next one. */
function recurring(pattern: string, timezone: string): Expression {
  const options = { timezone, paused: true, mode: "7-part", alternativeWeekdays: true, sloppyRanges: true } as const;
  const cron = new Cron(pattern, options);
  const next = (afterMs: number): number | undefined => {
    const found = cron.nextRun(new Date(afterMs));
    if (found === null) return undefined;
    return cron.match(found) ? found.getTime() : next(found.getTime());
  };
  cron.nextRun();
  return { isOneTime: false, next };
}

function oneTime(body: string, timezone: string): Expression {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(body)) throw new Error("a time is written yyyy-mm-ddThh:mm:ss");
  const time = new Cron(body, { timezone, paused: true }).nextRun(new Date(0))?.getTime();
  if (time === undefined) throw new Error("the time has no place in the calendar");
  return { isOneTime: true, next: (afterMs) => (time > afterMs ? time : undefined) };
}
