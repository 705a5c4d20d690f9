import { type CalendarEvent, iCalendar } from "../../../shared/base/common/iCalendar.ts";
import { config } from "../../../shared/base/settings/config.ts";
import type { PlanStatus } from "../../../shared/releaseplans/rules/status.ts";
import type { CalendarItem } from "./planCalendar.ts";

/** Statuses of plans that run, have run or will not run; a plan in any other status is still to come about. */
const eventStatuses: Partial<Record<PlanStatus, CalendarEvent["status"]>> = {
  executing: "CONFIRMED",
  wait_for_all_done_external_check: "CONFIRMED",
  success: "CONFIRMED",
  denied: "CANCELLED",
  timeout: "CANCELLED",
  cancel: "CANCELLED",
};

/**
 * What the calendar holds as iCalendar text; times in Unix seconds.
 * @param range what was asked for: a window without a beginning is shown from its first second on
 */
export function calendarText(items: readonly CalendarItem[], range: { from: number }, now: number): string {
  const events = items.map((item) => ({ ...eventOf(item), start: item.start || range.from, end: item.end }));
  return iCalendar("Release plans", events, now);
}

function eventOf({ kind, id, name, start, status }: CalendarItem): Omit<CalendarEvent, "start" | "end"> {
  if (kind === "freeze") {
    // Each of its windows is an event of its own.
    const uid = `freeze-${id}-${start}@slipway`;
    const summary = `Freeze: ${name}`;
    return { uid, summary, description: "Production is frozen", category: kind, status: "CONFIRMED", url: page() };
  }
  return {
    uid: `${kind}-${id}@slipway`,
    summary: kind === "window" ? `Window: ${name}` : name,
    description: `Release plan, status ${status}`,
    category: kind,
    status: eventStatuses[status as PlanStatus] ?? "TENTATIVE",
    url: page(`/detail?id=${id}`),
  };
}

/** In the console, where its address is known. */
function page(path = ""): string | undefined {
  const address = config().SLIPWAY_CONSOLE_ADDRESS;
  return address === "" ? undefined : `${address}/v1/releasePlan${path}`;
}
