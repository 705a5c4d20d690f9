import { config } from "../../../shared/base/settings/config.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import { createApi } from "../../../shared/http/createApi.ts";
import { countProjects } from "../../../shared/projects/store/projects.ts";
import { dayOf, mondayOf } from "../../../shared/reports/statistics/rules/days.ts";
import { summed } from "../../../shared/reports/statistics/rules/jobRow.ts";
import { type DayAmounts, readDays } from "../../../shared/reports/statistics/store/dayCounters.ts";
import { readOverview } from "../../../shared/reports/statistics/store/overview.ts";
import { readCases } from "../../../shared/reports/statistics/store/testCases.ts";
import { cost } from "./cost.ts";
import { dora } from "./dora.ts";
import { daysBetween, usualTimes } from "./ranges.ts";
import { rollbackDetail } from "./rollbackDetail.ts";
import { statisticsRoutes } from "./routes.ts";
import { projectsIn } from "./schemas.ts";

const together = (days: readonly DayAmounts[]) => summed(days.map(({ amounts }) => amounts));

export const handler = createApi(statisticsRoutes, {
  getOverview: async () => {
    const [projects, counted] = await Promise.all([countProjects(), readOverview({ consistent: false })]);
    return {
      project_count: projects,
      cluster_count: counted.clusters,
      service_count: counted.services,
      workflow_count: counted.workflows,
      env_count: counted.environments,
      artifact_count: counted.artifacts,
    };
  },

  getBuildStatistics: async ({ query }) => {
    const days = await readDays("build", projectsIn(query), daysOf(query));
    const { total, success } = together(days);
    const data = days.map(({ day, amounts }) => {
      const { success, failure, total, timeout } = amounts;
      return { date: day, success, failure, total, timeout };
    });
    return { total, success, data };
  },

  getDeployStatistics: async ({ query }) => {
    const days = await readDays("deploy", projectsIn(query), daysOf(query));
    const { total, success } = together(days);
    const data = days.map(({ day, amounts }) => {
      const { success, failure, total, timeout } = amounts;
      return { date: day, success, failure, total, timeout, failed: failure };
    });
    return { total, success, data };
  },

  getTestStatistics: async ({ query }) => {
    const projects = projectsIn(query);
    const [days, cases] = await Promise.all([readDays("test", projects, daysOf(query)), readCases(projects)]);
    const { total, success, seconds } = together(days);
    const weeks = Map.groupBy(days, ({ day }) => mondayOf(day));
    const data = [...weeks].map(([date, ofWeek]) => {
      const { success, timeout, failure } = together(ofWeek);
      return { date, success_count: success, timeout_count: timeout, failed_count: failure };
    });
    const average_runtime = total === 0 ? 0 : Math.round(seconds / total);
    return { case_count: cases, exec_count: total, success_count: success, average_runtime, data };
  },

  getReleaseStatistics: async ({ query }) => {
    const { start, end } = usualTimes(query.startTime, query.endTime, nowSeconds());
    const zone = config().SLIPWAY_TIME_ZONE;
    const days = await readDays("release", projectsIn(query), [dayOf(start, zone), dayOf(end, zone)]);
    const { total, success } = together(days);
    const daily_stat = days.map(({ day, amounts }) => {
      const { total, success, failure, timeout } = amounts;
      return { date: day, total, success_count: success, fail_count: failure + timeout };
    });
    return { total, success_count: success, daily_stat };
  },

  getCost: ({ query, caller }) => cost(query, daysOf(query), caller),

  getDora: ({ query, caller }) => dora(query, daysOf(query), caller),

  getRollbackDetail: ({ query, caller }) => rollbackDetail(query, caller),
});

function daysOf({ startDate, endDate }: { startDate?: number | undefined; endDate?: number | undefined }) {
  return daysBetween(startDate, endDate, config().SLIPWAY_TIME_ZONE);
}
