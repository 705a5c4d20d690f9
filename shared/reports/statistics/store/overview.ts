import { countIn } from "../../../base/store/counters.ts";
import { statisticKeys } from "../../../base/store/keys/statisticKeys.ts";
import { table } from "../../../base/store/table.ts";
import type { Write } from "../../../base/store/writes.ts";
import { shardCount } from "./dayCounters.ts";

/** What the overview counts beside projects, which have a counter of their own; `cases` are those of tests (contract D 5.1, 5.4). */
export const overviewNames = ["clusters", "services", "workflows", "environments", "artifacts"] as const;
export type OverviewName = (typeof overviewNames)[number];
export type Overview = Record<OverviewName, number>;

/** Counts something in or out, in the transaction that makes or ends it. */
export function countOverview(name: OverviewName, amount: number): Write {
  return countIn(statisticKeys.overview(Math.floor(Math.random() * shardCount)), "overview", { [name]: amount });
}

/** Adds to what is counted wrong. */
export async function correctOverview(amounts: Partial<Overview>): Promise<void> {
  await table().write(countIn(statisticKeys.overview(0), "overview", { ...amounts }));
}

export async function readOverview(options: { consistent: boolean }): Promise<Overview> {
  const shards = await table().query<Partial<Overview>>({ pk: statisticKeys.overview(0).pk, ...options });
  const sum = (name: OverviewName) => shards.reduce((total, shard) => total + (shard[name] ?? 0), 0);
  return Object.fromEntries(overviewNames.map((name) => [name, sum(name)])) as Overview;
}
