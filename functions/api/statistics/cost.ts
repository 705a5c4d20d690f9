import type * as z from "zod";
import { charged } from "../../../shared/costs/rules/charged.ts";
import { together } from "../../../shared/costs/rules/used.ts";
import { readCosts } from "../../../shared/costs/store/costDays.ts";
import { knownPrices } from "../../../shared/costs/store/prices.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import type { Day } from "../../../shared/statistics/rules/days.ts";
import { ownProjects } from "./ownProjects.ts";
import { type cost as answer, type ProjectFilter, projectsIn } from "./schemas.ts";

/** What tasks cost by workflow, the dearest first, at the prices of now (decisions 12.8, decision 135). @throws ApiError 400 */
export async function cost(
  query: ProjectFilter,
  range: readonly [Day, Day] | undefined,
  caller: Caller,
): Promise<z.input<typeof answer>> {
  const projects = ownProjects(projectsIn(query), caller, "administration");
  const [prices, rows] = await Promise.all([knownPrices(), projects === "none" ? [] : readCosts(projects, range)]);
  const data = rows.map(({ projectKey, workflowKey, used }) => ({
    ...{ project_key: projectKey, workflow_key: workflowKey },
    ...charged(used, prices),
  }));
  return {
    currency: prices.currency,
    total: charged(together(...rows.map(({ used }) => used)), prices).total,
    data: data.sort((a, b) => b.total - a.total || (nameOf(a) < nameOf(b) ? -1 : 1)),
  };
}

function nameOf({ project_key, workflow_key }: { project_key: string; workflow_key: string }): string {
  return `${project_key} ${workflow_key}`;
}
