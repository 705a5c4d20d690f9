import type { Plan } from "./plan.ts";

/** Plans that succeeded, by the month (UTC) in which their execution began. */
export interface MonthOfPlans {
  /** `2026-11` */
  month: string;
  count: number;
  /** Mean seconds from the begin of the execution to the success. */
  averageDuration: number;
  /** Mean seconds from the approval to the begin of the execution, of those plans that had one; 0 without any. */
  averageWait: number;
}

type Times = Pick<Plan, "approvalTime" | "executingTime" | "successTime">;

/** By month, the first one first; only plans whose execution began between the times, both included. */
export function monthsOfPlans(plans: readonly Times[], from: number, to: number): MonthOfPlans[] {
  const counted = plans.filter(
    ({ executingTime, successTime }) => successTime > 0 && executingTime >= from && executingTime <= to,
  );
  const months = Map.groupBy(counted, ({ executingTime }) => new Date(executingTime * 1000).toISOString().slice(0, 7));
  return [...months]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([month, all]) => ({
      ...{ month, count: all.length },
      averageDuration: mean(all.map(({ executingTime, successTime }) => successTime - executingTime)),
      averageWait: mean(
        all.flatMap(({ approvalTime, executingTime }) => (approvalTime === 0 ? [] : [executingTime - approvalTime])),
      ),
    }));
}

function mean(seconds: readonly number[]): number {
  return seconds.length === 0 ? 0 : seconds.reduce((sum, one) => sum + one, 0) / seconds.length;
}
