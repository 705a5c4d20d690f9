import { type components, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { toldInterval } from "./liveChanges.ts";
import { slipway } from "./session.ts";

export type Plan = components["schemas"]["ReleasePlan"];
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
