import type * as z from "zod";
import { costBreakdown } from "../../../shared/costs/rules/costBreakdown.ts";
import { together } from "../../../shared/costs/rules/used.ts";
import { readCosts } from "../../../shared/costs/store/costDays.ts";
import { knownPrices } from "../../../shared/costs/store/prices.ts";
import { ApiError } from "../../../shared/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { administersProject } from "../../../shared/identity/rules/grants.ts";
import type { Day } from "../../../shared/statistics/rules/days.ts";
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
