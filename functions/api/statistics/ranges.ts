import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { type Day, dayOf } from "../../../shared/reports/statistics/rules/days.ts";

const daySeconds = 24 * 3600;
const mostDays = 365;
/** What is shown of releases when no times are given. */
const usualDays = 30;

/** The days from that of the start to that of the end; undefined is everything (contract D 5.2). @throws ApiError 400 */
export function daysBetween(
  start: number | undefined,
  end: number | undefined,
  timeZone: string,
): readonly [Day, Day] | undefined {
  if (start === undefined && end === undefined) return undefined;
  if (start === undefined) throw new ApiError(400, "startDate is missing: give both startDate and endDate, or neither");
  if (end === undefined) throw new ApiError(400, "endDate is missing: give both startDate and endDate, or neither");
  refuseOrder(start, end, ["startDate", "endDate"]);
  if (end - start > mostDays * daySeconds)
    throw new ApiError(400, `startDate and endDate are more than ${mostDays} days apart: ask for a shorter range`);
  return [dayOf(start, timeZone), dayOf(end, timeZone)];
}

/**
 * How many days of a range are there already, today among them; without a range from the first that was counted.
 * @returns 0 for a range that lies ahead
 */
export function daysUntilNow(
  range: readonly [Day, Day] | undefined,
  firstCounted: Day | undefined,
  today: Day,
): number {
  const [first = today, last] = range ?? [firstCounted, today];
  const end = last < today ? last : today;
  return Math.max(0, Math.round((Date.parse(end) - Date.parse(first)) / (daySeconds * 1000)) + 1);
}

/** Times of a search, both given (contract D 5.5). @throws ApiError 400 */
export function timesBetween(start: number | undefined, end: number | undefined): { start: number; end: number } {
  if (start === undefined || end === undefined)
    throw new ApiError(
      400,
      `${start === undefined ? "startTime" : "endTime"} is missing: give both startTime and endTime`,
    );
  refuseOrder(start, end, ["startTime", "endTime"]);
  if (end - start > mostDays * daySeconds)
    throw new ApiError(400, `time range should be less than ${mostDays} days: ask for a shorter one`);
  return { start, end };
}

/** As `timesBetween`; without both the last thirty days. @throws ApiError 400 */
export function usualTimes(
  start: number | undefined,
  end: number | undefined,
  now: number,
): { start: number; end: number } {
  if (start === undefined && end === undefined) return { start: now - usualDays * daySeconds, end: now };
  return timesBetween(start, end);
}

function refuseOrder(start: number, end: number, [first, last]: readonly [string, string]): void {
  if (end < start) throw new ApiError(400, `invalid time range: ${last} is before ${first}`);
}
