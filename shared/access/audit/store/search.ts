import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { OperationRecord } from "../rules/operationRecord.ts";
import type { LogCounts } from "./counts.ts";
import { recordOf, type StoredOperation } from "./operationItems.ts";
import { itemsOfPage, type Partition } from "./partitions.ts";
import { type Filter, type OperationPage, withUnindexed } from "./unindexed.ts";

/**
 * Records of one or several partitions, newest first, and behind them those of the time before there were indexes that
 * pass the filter. A page of one partition costs the same whatever its number; several are merged by the records'
 * numbers from the newest on, which costs in proportion to the page's number.
 */
export async function searchOperations(
  partitions: readonly Partition[],
  older: { counts: LogCounts; filter: Filter },
  page: number,
  size: number,
): Promise<OperationPage> {
  const indexed = partitions.reduce((sum, { value, removed }) => sum + value - removed, 0);
  const [only, ...others] = partitions;
  const found =
    only !== undefined && others.length === 0
      ? await sequencesOfPage(only, page, size)
      : await mergedSequences(partitions, (page - 1) * size, size);
  return withUnindexed(await readOperations(found), indexed, older, page, size);
}

/** Entries of these partitions end in the record's number. */
async function sequencesOfPage(partition: Partition, page: number, size: number): Promise<number[]> {
  const entries = await itemsOfPage<object>(partition, page, size);
  return entries.map(({ sk }) => Number(sk.slice(-12)));
}

const fewestAtOnce = 20;
const maxAtOnce = 500;

/** Numbers of the records `from` to `from + size` of several partitions together, newest first. */
async function mergedSequences(partitions: readonly Partition[], from: number, size: number): Promise<number[]> {
  // As if each had an equal share of what is wanted; one with a larger share reads again.
  const share = Math.ceil((from + size) / Math.max(1, partitions.length));
  const atOnce = Math.min(Math.max(share, fewestAtOnce), maxAtOnce);
  const lanes = await Promise.all(
    partitions.map(async (partition) => ({
      partition,
      page: 1,
      ahead: await sequencesOfPage(partition, 1, atOnce),
    })),
  );
  const merged: number[] = [];
  while (lanes.length > 0 && merged.length < from + size) {
    const newest = lanes.reduce((best, lane) => ((lane.ahead[0] ?? 0) > (best.ahead[0] ?? 0) ? lane : best));
    const next = newest.ahead.shift();
    if (next === undefined) break;
    merged.push(next);
    if (newest.ahead.length === 0) newest.ahead = await sequencesOfPage(newest.partition, ++newest.page, atOnce);
  }
  return merged.slice(from);
}

async function readOperations(sequences: readonly number[]): Promise<OperationRecord[]> {
  const items = await table().getMany<StoredOperation>(sequences.map(keys.operationLog), { consistent: false });
  const bySequence = new Map(items.map((item) => [item.sequence, recordOf(item)]));
  return sequences.flatMap((sequence) => bySequence.get(sequence) ?? []);
}
