import { taken } from "@slipway/client";
import { queryOptions } from "@tanstack/react-query";
import { slipway } from "./session.ts";

export const rangeDays = [7, 30, 90, 365] as const;
const daySeconds = 24 * 60 * 60;

/** @param project its key; all that the caller may see without */
export const statisticsQuery = (days: number, project: string | undefined) =>
  queryOptions({
    queryKey: ["statistics", days, project],
    queryFn: async () => {
      const now = Math.floor(Date.now() / 1000);
      const query = {
        // Both days count.
        startDate: String(now - (days - 1) * daySeconds),
        endDate: String(now),
        ...(project !== undefined && { projectKey: project }),
      };
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
