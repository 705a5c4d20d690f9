import { defineRoute } from "../../../shared/http/route.ts";
import * as schemas from "./schemas.ts";

const tag = "Statistics";
/** Numbers alone: every user who holds a role may see them (contract I 13.7). */
const anybody = { kind: "anyRole" } as const;
/** Both spellings of published clients (contract D 5.5). */
const times = { startTime: ["start_time"], endTime: ["end_time"], projectName: ["project_name"] };

export const statisticsRoutes = {
  getOverview: defineRoute({
    method: "GET",
    path: "/openapi/statistics/overview",
    summary: "Count projects, clusters, test services, workflows, environments and artifacts",
    tag,
    permission: anybody,
    response: schemas.overview,
  }),
  getBuildStatistics: defineRoute({
    method: "GET",
    path: "/openapi/statistics/build",
    summary: "Count ended builds by the day on which their task was created; without a range all of them",
    tag,
    permission: anybody,
    query: schemas.dayRange,
    response: schemas.buildStatistics,
  }),
  getDeployStatistics: defineRoute({
    method: "GET",
    path: "/openapi/statistics/deploy",
    summary: "Count ended deploy jobs by the day on which they started; without a range all of them",
    tag,
    permission: anybody,
    query: schemas.dayRange,
    response: schemas.deployStatistics,
  }),
  getTestStatistics: defineRoute({
    method: "GET",
    path: "/openapi/statistics/test",
    summary: "Count ended test runs by the week in which their task was created, and the cases of all tests",
    tag,
    permission: anybody,
    query: schemas.dayRange,
    response: schemas.testStatistics,
  }),
  getReleaseStatistics: defineRoute({
    method: "GET",
    path: "/openapi/statistics/v2/release",
    summary:
      "Count deploy jobs to production by the day on which they started; without times those of the last 30 days",
    tag,
    permission: anybody,
    query: schemas.timeRange,
    queryAliases: times,
    response: schemas.releaseStatistics,
  }),
  getDora: defineRoute({
    method: "GET",
    path: "/openapi/statistics/dora",
    summary:
      "Measure deployments to production: how often, how long after the commit, how many failed and for how long, of projects in which the caller holds a role; without a range all of them",
    tag,
    permission: { kind: "filtered" },
    query: schemas.dayRange,
    response: schemas.dora,
  }),
  getCost: defineRoute({
    method: "GET",
    path: "/openapi/statistics/cost",
    summary:
      "Tell what tasks cost by workflow, at the prices of now; project administrators name projects. Without a range all that was counted",
    tag,
    permission: { kind: "systemAdmin", orProjectAdmin: true },
    query: schemas.dayRange,
    response: schemas.cost,
    cutAt: "data",
  }),
  getRollbackDetail: defineRoute({
    method: "GET",
    path: "/openapi/statistics/v2/rollback/detail",
    summary:
      "List services that were taken back to an earlier version, of environments that the caller may read, newest first",
    tag,
    permission: { kind: "filtered" },
    query: schemas.rollbackQuery,
    queryAliases: times,
    response: schemas.rollbackPage,
    cutAt: "data",
  }),
};
