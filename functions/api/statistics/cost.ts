import type * as z from "zod";
import { administersProject } from "../../../shared/access/identity/rules/grants.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { costBreakdown } from "../../../shared/reports/costs/rules/costBreakdown.ts";
import { together } from "../../../shared/reports/costs/rules/used.ts";
import { readCosts } from "../../../shared/reports/costs/store/costDays.ts";
import { knownPrices } from "../../../shared/reports/costs/store/prices.ts";
import type { Day } from "../../../shared/reports/statistics/rules/days.ts";
import { type cost as answer, type ProjectFilter, projectsIn } from "./schemas.ts";

/**
 * What tasks cost by workflow, the dearest first, at the prices of now (decisions 12.8, decision 135).
 * @throws ApiError 403 for projects that the caller does not administer, all of them where none is named
 */
export async function cost(
  query: ProjectFilter,
  range: readonly [Day, Day] | undefined,
  caller: Caller,
): Promise<z.input<typeof answer>> {
  const projects = projectsIn(query);
  mustAdminister(projects, caller);
  const [prices, rows] = await Promise.all([knownPrices(), readCosts(projects, range)]);
  const data = rows.map(({ projectKey, workflowKey, used }) => ({
    ...{ project_key: projectKey, workflow_key: workflowKey },
    ...costBreakdown(used, prices),
  }));
  return {
    currency: prices.currency,
    total: costBreakdown(together(...rows.map(({ used }) => used)), prices).total,
    data: data.sort((a, b) => b.total - a.total || (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}

function mustAdminister(projects: readonly string[], { grants }: Caller): void {
  if (grants.systemAdmin) return;
  if (projects.length === 0)
    throw new ApiError(403, "requires the system administrator; name projects that you administer by projectKey");
  const foreign = projects.find((projectKey) => !administersProject(grants, projectKey));
  if (foreign !== undefined) throw new ApiError(403, `requires the project administrator of project ${foreign}`);
}

function nameOf({ project_key, workflow_key }: { project_key: string; workflow_key: string }): string {
  return `${project_key} ${workflow_key}`;
}
