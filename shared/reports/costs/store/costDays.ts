import { config } from "../../../base/settings/config.ts";
import { countIn } from "../../../base/store/counters.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { statisticKeys } from "../../../base/store/keys/statisticKeys.ts";
import { table } from "../../../base/store/table.ts";
import { create, named, type Write } from "../../../base/store/writes.ts";
import { type Day, dayOf } from "../../statistics/rules/days.ts";
import { everyProject } from "../../statistics/store/dayCounters.ts";
import { together, type Used, usedNames, type WholeUse } from "../rules/used.ts";

/** What a task used between two moments at which it held no slot. */
export interface CostRow {
  projectKey: string;
  workflowKey: string;
  taskId: number;
  /** Names the row: `<record id of the task>-<its last execution>`. */
  id: string;
  used: Used;
}

/** A counter of a day: of a project by workflow, or of all (`*`) by project (decision 135). */
export interface CostCounter {
  of: string;
  part: string;
}

/** Far longer than the recount looks back. */
const keptSeconds = 30 * 24 * 3600;

/** What goes with a task that gives its slot back now: its row, and what it adds to the day. Loses "cost row" when it was counted. */
export function costWrites({ used, id, ...row }: CostRow): Write[] {
  const now = nowSeconds();
  const day = dayOf(now, config().SLIPWAY_TIME_ZONE);
  const item = { ...statisticKeys.costRow(day, id), type: "cost-row", ...row, ...used, ttl: now + keptSeconds };
  return [named("cost row", create(item)), ...countersOf(row).map((counter) => addCost(counter, day, used))];
}

/** Where a row counts. */
export function countersOf({ projectKey, workflowKey }: Pick<CostRow, "projectKey" | "workflowKey">): CostCounter[] {
  return [
    { of: projectKey, part: workflowKey },
    { of: everyProject, part: projectKey },
  ];
}

/** Adds to a counter; less than nothing where it is to be put right. */
export function addCost({ of, part }: CostCounter, day: Day, used: Used): Write {
  const added = Object.fromEntries(Object.entries(used).filter(([, amount]) => amount !== 0));
  return countIn(statisticKeys.cost(of, day, part), "cost", added);
}

/** Every row of a day; consistent. */
export async function costRowsOf(day: Day): Promise<Omit<CostRow, "id">[]> {
  const { pk } = statisticKeys.costRow(day, "");
  const items = await table().query<Omit<CostRow, "id" | "used"> & Used>({ pk });
  return items.map(({ projectKey, workflowKey, taskId, ...used }) => ({
    ...{ projectKey, workflowKey, taskId },
    used: together(used),
  }));
}

/** The counters of a day that all projects have together, and those that the named projects have; consistent. */
export async function readCostCounters(
  projectKeys: readonly string[],
  day: Day,
): Promise<(CostCounter & { used: Used })[]> {
  const found = await Promise.all(
    [everyProject, ...projectKeys].map(async (of) => {
      const counters = await readDays(of, [day, day], { consistent: true });
      return counters.map((counter) => ({ of, ...counter }));
    }),
  );
  return found.flat();
}

/**
 * What was used in a range of days, by project and workflow: one round trip for named projects, two for all, all projects at
 * once.
 * @param projectKeys none: of every project that used something
 * @param range the first and the last day; undefined is everything
 */
export async function readCosts(
  projectKeys: readonly string[],
  range: readonly [Day, Day] | undefined,
): Promise<{ projectKey: string; workflowKey: string; used: WholeUse }[]> {
  const named = projectKeys.length > 0 ? projectKeys : (await readDays(everyProject, range)).map(({ part }) => part);
  const found = await Promise.all(
    [...new Set(named)].map(async (projectKey) => {
      const byWorkflow = Map.groupBy(await readDays(projectKey, range), ({ part }) => part);
      return [...byWorkflow].map(([workflowKey, days]) => ({
        ...{ projectKey, workflowKey },
        used: together(...days.map(({ used }) => used)),
      }));
    }),
  );
  return found.flat();
}

async function readDays(
  of: string,
  range: readonly [Day, Day] | undefined,
  { consistent } = { consistent: false },
): Promise<{ part: string; used: Used }[]> {
  // "$" comes right behind "#", whatever the names are.
  const between = range && ([`${range[0]}#`, `${range[1]}$`] as const);
  const { pk } = statisticKeys.cost(of, "", "");
  const items = await table().query<Used>({ pk, consistent, ...(between !== undefined && { between }) });
  return items.map((item) => ({
    part: item.sk.slice("YYYY-MM-DD#".length),
    used: Object.fromEntries(usedNames.map((name) => [name, item[name] ?? 0])),
  }));
}
