import type * as z from "zod";
import type { Caller } from "../../../shared/http/exchange.ts";
import { config } from "../../../shared/settings/config.ts";
import { type Day, dayOf } from "../../../shared/statistics/rules/days.ts";
import { type Amounts, summed } from "../../../shared/statistics/rules/jobRow.ts";
import { readDays } from "../../../shared/statistics/store/dayCounters.ts";
import { nowSeconds } from "../../../shared/store/ids.ts";
import { ownProjects } from "./ownProjects.ts";
import { daysUntilNow } from "./ranges.ts";
import { type dora as answer, type ProjectFilter, projectsIn } from "./schemas.ts";

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
