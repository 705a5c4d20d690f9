import type * as z from "zod";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { config } from "../../../shared/base/settings/config.ts";
import { nowSeconds } from "../../../shared/base/store/ids.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { type Day, dayOf } from "../../../shared/reports/statistics/rules/days.ts";
import { type Amounts, summed } from "../../../shared/reports/statistics/rules/jobRow.ts";
import { readDays } from "../../../shared/reports/statistics/store/dayCounters.ts";
import { daysUntilNow } from "./ranges.ts";
import { type dora as answer, mostProjects, type ProjectFilter, projectsIn } from "./schemas.ts";

/** The four figures of deployments to production (decisions 12.8, decision 125). @throws ApiError 400 */
export async function dora(
  query: ProjectFilter,
  range: readonly [Day, Day] | undefined,
  caller: Caller,
): Promise<z.input<typeof answer>> {
  const projects = ownProjects(projectsIn(query), caller);
  const days = projects === "none" ? [] : await readDays("release", projects, range);
  const all = summed(days.map(({ amounts }) => amounts));
  const { success, failure, timeout, rolledBack } = all;
  const today = dayOf(nowSeconds(), config().SLIPWAY_TIME_ZONE);
  return {
    deployment_frequency: quotient(success, daysUntilNow(range, days[0]?.day, today), 3) ?? 0,
    change_failure_rate: quotient(failure + timeout + rolledBack, success + failure + timeout, 4),
    ...deployed(all),
    data: days.map(({ day, amounts }) => ({ date: day, ...deployed(amounts) })),
  };
}

function deployed(amounts: Required<Amounts>) {
  const { success, failure, timeout, rolledBack, leads, leadSeconds, restores, restoreSeconds } = amounts;
  return {
    ...{ passed: success, failed: failure + timeout, rolled_back: rolledBack },
    lead_time_seconds: quotient(leadSeconds, leads, 0),
    time_to_restore_seconds: quotient(restoreSeconds, restores, 0),
  };
}

/** Rounded to so many places; null where there is nothing to divide by. */
function quotient(sum: number, count: number, places: number): number | null {
  return count === 0 ? null : Number((sum / count).toFixed(places));
}

/**
 * Of the named projects, or of all when none is named (`[]`), those in which the caller holds a role.
 * @throws ApiError 400 for more of them than may be asked for at once
 */
function ownProjects(asked: readonly string[], { grants }: Caller): readonly string[] | "none" {
  if (grants.systemAdmin || grants.readsEverything) return asked;
  const own = asked.length === 0 ? [...grants.projects.keys()] : asked.filter((key) => grants.projects.has(key));
  if (own.length > mostProjects)
    throw new ApiError(
      400,
      `projectKey is missing: of more than ${mostProjects} projects it must name those to measure`,
    );
  return own.length === 0 ? "none" : own;
}
