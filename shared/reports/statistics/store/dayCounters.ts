import { countIn } from "../../../base/store/counters.ts";
import type { Key } from "../../../base/store/keys/keys.ts";
import { statisticKeys } from "../../../base/store/keys/statisticKeys.ts";
import { table } from "../../../base/store/table.ts";
import type { Write } from "../../../base/store/writes.ts";
import type { Day } from "../rules/days.ts";
import { type Amounts, amountNames, type StatKind, summed } from "../rules/jobRow.ts";

/** Means all projects together. */
export const everyProject = "*";

/** Items of one day that are counted on in turn where transactions meet (decision 111). */
export const shardCount = 4;

/** The numbers of one day. */
export interface DayAmounts {
  day: Day;
  amounts: Required<Amounts>;
}

/** Adds to the numbers of a day, of the project and of all together. */
export function countDay(kind: StatKind, projectKey: string, day: Day, amounts: Amounts, shard: number): Write[] {
  const added = Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0));
  return [projectKey, everyProject].map((of) =>
    countIn(statisticKeys.statistics(kind, of, day, shard), "statistics", added),
  );
}

/** Adds to one of both, where they are to be put right. */
export function correctDay(kind: StatKind, of: string, day: Day, amounts: Amounts): Write {
  return countIn(statisticKeys.statistics(kind, of, day, 0), "statistics", { ...amounts });
}

/**
 * The numbers of the projects together by day, ascending; of all projects when none is named. One round trip whatever
 * the history, all projects at once.
 * @param range the first and the last day; undefined is everything
 */
export async function readDays(
  kind: StatKind,
  projectKeys: readonly string[],
  range: readonly [Day, Day] | undefined,
): Promise<DayAmounts[]> {
  const between = range && ([`${range[0]}#`, `${range[1]}#~`] as const);
  const partitions = projectKeys.length === 0 ? [everyProject] : [...new Set(projectKeys)];
  const found = await Promise.all(
    partitions.map((of) =>
      table().query<Amounts>({
        pk: statisticKeys.statistics(kind, of, "", 0).pk,
        consistent: false,
        ...(between !== undefined && { between }),
      }),
    ),
  );
  const byDay = Map.groupBy(found.flat(), dayIn);
  return [...byDay].map(([day, items]) => ({ day, amounts: summed(items) })).sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** The numbers of one day of each kind for each of these; consistent. */
export async function readDay(
  wanted: readonly { kind: StatKind; of: string; day: Day }[],
): Promise<Required<Amounts>[]> {
  const shards = Array.from({ length: shardCount }, (_, shard) => shard);
  const keysOf = ({ kind, of, day }: (typeof wanted)[number]): Key[] =>
    shards.map((shard) => statisticKeys.statistics(kind, of, day, shard));
  const items = await table().getMany<Amounts>(wanted.flatMap(keysOf));
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  return wanted.map((one) => summed(keysOf(one).flatMap(({ pk, sk }) => byKey.get(`${pk} ${sk}`) ?? [])));
}

/** What has to be added to `stored` to make it `counted`; undefined when they agree. */
export function difference(counted: Required<Amounts>, stored: Required<Amounts>): Amounts | undefined {
  const changed = amountNames.filter((name) => counted[name] !== stored[name]);
  if (changed.length === 0) return undefined;
  return Object.fromEntries(changed.map((name) => [name, counted[name] - stored[name]]));
}

function dayIn({ sk }: Key): Day {
  return sk.slice(0, "YYYY-MM-DD".length);
}
