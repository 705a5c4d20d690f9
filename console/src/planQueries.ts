import { type components, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import type { Span } from "./calendarDays.ts";
import { toldInterval } from "./liveChanges.ts";
import { slipway } from "./session.ts";

export type Plan = components["schemas"]["ReleasePlan"];
export type FoundPlan = components["schemas"]["ReleasePlanFound"];
export type CalendarItem = components["schemas"]["ReleasePlanCalendar"]["items"][number];
export type PlanJob = NonNullable<Plan["jobs"]>[number];
export type Step = "planning" | "finish_planning" | "wait_for_approval" | "executing" | "success" | "cancel";

export const plansOnPage = 50;

/** @param page from 1, the newest plans first */
export const plansQuery = (page: number) =>
  queryOptions({
    queryKey: ["plans", page],
    queryFn: () => {
      const query = { pageNum: String(page), pageSize: String(plansOnPage) };
      return taken(slipway().GET("/openapi/release_plan/v1", { params: { query } }));
    },
    refetchInterval: toldInterval,
  });

/** Columns of the board, and the statuses that stand in each. */
export const columns = {
  planning: [
    ...(["planning", "wait_for_finish_planning_external_check"] as const),
    "wait_for_finish_planning_external_check_failed",
  ],
  planned: ["finish_planning"],
  approval: ["wait_for_approval", "denied"],
  execution: [
    ...(["wait_for_execute_external_check", "wait_for_execute_external_check_failed", "executing"] as const),
    ...(["timeout", "wait_for_all_done_external_check", "wait_for_all_done_external_check_failed"] as const),
  ],
  over: ["success", "cancel"],
} satisfies Readonly<Record<string, readonly Plan["status"][]>>;
export type Column = keyof typeof columns;
export const columnNames = Object.keys(columns) as Column[];

/** Plans that go on, all in one answer, and the newest that are over. */
const mostOpen = 200;
const mostOver = 20;

/** The board: the plans of each column, the newest first, and how many open and ended plans are not on it. */
export const boardQuery = queryOptions({
  queryKey: ["plans", "board"],
  queryFn: async () => {
    const [open, over] = await Promise.all([
      plansOf(
        columnNames.filter((name) => name !== "over").flatMap((name) => columns[name]),
        mostOpen,
      ),
      plansOf(columns.over, mostOver),
    ]);
    const plans = [...open.list, ...over.list];
    const inColumn = (name: Column) => plans.filter(({ status }) => columns[name].some((one) => one === status));
    return {
      columns: columnNames.map((name) => ({ name, plans: inColumn(name) })),
      hidden: { open: open.total - open.list.length, over: over.total - over.list.length },
    };
  },
  refetchInterval: toldInterval,
});

function plansOf(statuses: readonly Plan["status"][], most: number) {
  const query = { type: "status", keyword: statuses.join(), pageNum: "1", pageSize: String(most) } as const;
  return taken(slipway().GET("/api/aslan/release_plan/v1", { params: { query } }));
}

/** When plans run, their windows, and freezes. @param from Unix seconds, as `to` */
export const calendarQuery = (from: number, to: number) =>
  queryOptions({
    queryKey: ["plans", "calendar", from, to],
    queryFn: async () => {
      const query = { from: String(from), to: String(to) };
      const answer = await taken(slipway().GET("/openapi/release_plan/v1/calendar", { params: { query } }));
      // Text is given to those who ask for it alone.
      return typeof answer === "string" ? { items: [] } : answer;
    },
    refetchInterval: toldInterval,
  });

/** The calendar in an address, as a whole: what is undefined is not in it. @param day today without */
export const calendarAt = (span: Span, day?: string) => ({
  ...{ view: "calendar" as const, span: span === "week" ? span : undefined, day },
});

export const freezesQuery = queryOptions({
  queryKey: ["freezes"],
  queryFn: () => taken(slipway().GET("/openapi/release_plan/v1/freezes")),
});

export const planQuery = (id: string) =>
  queryOptions({
    queryKey: ["plan", id],
    queryFn: () => taken(slipway().GET("/openapi/release_plan/v1/{id}", { params: { path: { id } } })),
    refetchInterval: toldInterval,
  });

export const planLogQuery = (id: string) =>
  queryOptions({
    queryKey: ["plan log", id],
    queryFn: async () =>
      (await taken(slipway().GET("/openapi/release_plan/v1/{id}/logs", { params: { path: { id } } }))).list,
    refetchInterval: toldInterval,
  });

export function movePlan({ id }: Plan, status: Step) {
  return taken(slipway().POST("/openapi/release_plan/v1/{id}/status/{status}", { params: { path: { id, status } } }));
}

export function decideOnPlan({ id }: Plan, approve: boolean, comment: string) {
  const body = { approve, comment };
  return taken(slipway().POST("/openapi/release_plan/v1/{id}/approve", { params: { path: { id } }, body }));
}

/** @param remark what was done, of a job that is a text */
export function executeJob({ id }: Plan, job: PlanJob, remark: string) {
  const body =
    job.type === "text"
      ? { id: job.id, type: "text" as const, spec: { remark } }
      : { id: job.id, type: "workflow" as const };
  return taken(slipway().POST("/openapi/release_plan/v1/{id}/execute", { params: { path: { id } }, body }));
}
