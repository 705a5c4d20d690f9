import { table } from "../../../shared/base/store/table.ts";
import { allProjects } from "../../../shared/projects/store/projects.ts";
import { timesUsed, together, type Used } from "../../../shared/reports/costs/rules/used.ts";
import {
  addCost,
  type CostCounter,
  costRowsOf,
  countersOf,
  readCostCounters,
} from "../../../shared/reports/costs/store/costDays.ts";
import type { Day } from "../../../shared/reports/statistics/rules/days.ts";
import { agreed } from "./agreed.ts";
import { countedDays } from "./countedDays.ts";

type Difference = CostCounter & { used: Used };

/** Puts what was used yesterday and the day before right. @returns what differed */
export async function recountCosts(): Promise<string[]> {
  const standing = (await allProjects()).map(({ projectKey }) => projectKey);
  const corrected: string[] = [];
  for (const day of countedDays()) {
    for (const { used, ...counter } of (await agreed(() => differencesOf(day, standing))) ?? []) {
      await table().write(addCost(counter, day, used));
      corrected.push(`cost of ${counter.of} ${counter.part} on ${day} ${JSON.stringify(used)}`);
    }
  }
  return corrected;
}

async function differencesOf(day: Day, standing: readonly string[]): Promise<Difference[] | undefined> {
  const rows = await costRowsOf(day);
  const stored = await readCostCounters([...new Set([...standing, ...rows.map(({ projectKey }) => projectKey)])], day);
  const negative = stored.map((counter) => ({ ...counter, used: timesUsed(counter.used, -1) }));
  const counted = rows.flatMap((row) => countersOf(row).map((counter) => ({ ...counter, used: row.used })));
  const byCounter = Map.groupBy([...counted, ...negative], ({ of, part }) => `${of} ${part}`);
  const found = [...byCounter.values()].flatMap(([first, ...more]): Difference[] => {
    if (first === undefined) return [];
    const used = together(first.used, ...more.map((one) => one.used));
    return Object.values(used).every((amount) => amount === 0) ? [] : [{ ...first, used }];
  });
  return found.length === 0 ? undefined : found;
}
