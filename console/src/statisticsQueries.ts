import { type components, taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { systemRightsQuery } from "./adminQueries.ts";
import { mayOne, queries, rightsOf } from "./queries.ts";
import { slipway } from "./session.ts";

export type Cost = components["schemas"]["CostStatistics"];

export const rangeDays = [7, 30, 90, 365] as const;
const daySeconds = 24 * 60 * 60;

function rangeOf(days: number, project: string | undefined) {
  const now = Math.floor(Date.now() / 1000);
  return {
    // Both days count.
    startDate: String(now - (days - 1) * daySeconds),
    endDate: String(now),
    ...(project !== undefined && { projectKey: project }),
  };
}

/** @param project its key; all that the caller may see without */
export const statisticsQuery = (days: number, project: string | undefined) =>
  queryOptions({
    queryKey: ["statistics", days, project],
    queryFn: async () => {
      const query = rangeOf(days, project);
      const [build, deploy, test, dora] = await Promise.all([
        taken(slipway().GET("/openapi/statistics/build", { params: { query } })),
        taken(slipway().GET("/openapi/statistics/deploy", { params: { query } })),
        taken(slipway().GET("/openapi/statistics/test", { params: { query } })),
        taken(slipway().GET("/openapi/statistics/dora", { params: { query } })),
      ]);
      return { build, deploy, test, dora };
    },
    staleTime: 60_000,
  });

/** What tasks cost by workflow, the dearest first; administrators of the project, or of the system, may know. */
export const costQuery = (days: number, project: string | undefined) =>
  queryOptions({
    queryKey: ["cost", days, project],
    queryFn: () => taken(slipway().GET("/openapi/statistics/cost", { params: { query: rangeOf(days, project) } })),
    staleTime: 60_000,
  });

/** Whether costs are told to the caller. */
export const mayKnowCostQuery = (project: string | undefined) =>
  queryOptions({
    queryKey: ["may know cost", project],
    queryFn: async () => {
      if (project === undefined) return (await queries.ensureQueryData(systemRightsQuery)).isAdmin;
      return mayOne(await rightsOf(project));
    },
    staleTime: 60_000,
  });
