import { keys, padded } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { OperationRecord } from "../rules/operationRecord.ts";
import { type LogCounts, lastUnindexed } from "./counts.ts";
import { recordOf, type StoredOperation } from "./operationItems.ts";

export interface OperationPage {
  records: OperationRecord[];
  total: number;
}

export type Filter = (record: OperationRecord) => boolean;

/**
 * Records of the time before there were indexes that pass the filter, newest first. They are found by reading all of
 * them; an installation that began with indexes has none and reads nothing.
 */
export async function readUnindexed(counts: LogCounts, filter: Filter): Promise<OperationRecord[]> {
  const last = lastUnindexed(counts);
  if (last === 0) return [];
  const items = await table().query<StoredOperation>({
    pk: keys.operationLog(0).pk,
    between: [padded(0), padded(last)],
    descending: true,
    consistent: false,
  });
  return items.map(recordOf).filter(filter);
}

/** Continues with records that are in no index where the page reaches behind the `indexed` records that are. */
export async function withUnindexed(
  records: OperationRecord[],
  indexed: number,
  older: { counts: LogCounts; filter: Filter },
  page: number,
  size: number,
): Promise<OperationPage> {
  const matching = await readUnindexed(older.counts, older.filter);
  const from = Math.max(0, (page - 1) * size - indexed);
  const to = Math.max(0, page * size - indexed);
  return { records: [...records, ...matching.slice(from, to)], total: indexed + matching.length };
}
