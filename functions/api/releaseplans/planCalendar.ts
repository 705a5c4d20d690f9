import type * as z from "zod";
import { windowsBetween } from "../../../shared/projects/freezes/rules/windows.ts";
import { findFreezes } from "../../../shared/projects/freezes/store/freezes.ts";
import { allPlans } from "../../../shared/releaseplans/records/planPages.ts";
import type { PlanSummary } from "../../../shared/releaseplans/records/plans.ts";
import type { planCalendar } from "./planSchemas.ts";

export type CalendarItem = z.input<typeof planCalendar>["items"][number];

/** Windows of one freeze that are shown. */
const mostWindows = 400;

/** What lies between two times (Unix seconds), by its start: plans when they run, their windows, and freezes. */
export async function calendar(from: number, to: number): Promise<CalendarItem[]> {
  const [plans, freezes] = await Promise.all([allPlans(), findFreezes()]);
  const ofPlans = plans.flatMap(itemsOf).filter(({ start, end }) => start <= to && end >= from);
  const ofFreezes = freezes.flatMap(({ freezeId: id, name, times }) =>
    windowsBetween(times, from, to, mostWindows).map(
      (window): CalendarItem => ({ kind: "freeze", id, name, ...window, status: "" }),
    ),
  );
  return [...ofPlans, ...ofFreezes].sort((a, b) => a.start - b.start);
}

/** A plan when it ran, or is to run, and its window. */
function itemsOf(plan: PlanSummary): CalendarItem[] {
  const { planId: id, name, status, startTime, endTime, scheduleExecuteTime, executingTime, successTime } = plan;
  const start = executingTime || scheduleExecuteTime;
  const end = Math.max(successTime, start);
  return [
    ...(start === 0 ? [] : [{ kind: "plan" as const, id, name, start, end, status }]),
    ...(endTime === 0 ? [] : [{ kind: "window" as const, id, name, start: startTime, end: endTime, status }]),
  ];
}
