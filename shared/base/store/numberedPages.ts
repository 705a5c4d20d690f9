import { countIn } from "./counters.ts";
import { type Key, padded } from "./keys/keys.ts";
import { table } from "./table.ts";
import type { Item } from "./tableClient.ts";
import type { Write } from "./writes.ts";

/** Numbers that share a count. */
const bucketSize = 100;

/** Records that are numbered from 1 and listed by their numbers, the highest first. */
export interface NumberedRecords {
  countsKey: Key;
  /** Type of the item with the counts. */
  countsType: string;
  /** Partition of the index `list`; its sort keys are the padded numbers. */
  list: string;
}

/**
 * How many records there are, and how many of each hundred numbers: records are deletable, so that a page cannot be found
 * by its number alone. Attributes are named `b<bucket>`.
 */
type Counts = Item<{ total: number }> & Readonly<Record<string, unknown>>;

/** For the transaction that makes a record or takes it away. */
export function countNumbered({ countsKey, countsType }: NumberedRecords, index: number, amount: 1 | -1): Write {
  return countIn(countsKey, countsType, { total: amount, [bucketName(bucketOf(index))]: amount });
}

/** A page of summaries, the highest number first: any page costs about the same, however many records there are. */
export async function pageOfNumbered<T>(
  { countsKey, list }: NumberedRecords,
  page: number,
  size: number,
): Promise<{ total: number; summaries: T[] }> {
  const counts = await table().get<Counts>(countsKey, { consistent: false });
  const total = counts?.total ?? 0;
  const start = counts && startOf(counts, (page - 1) * size);
  if (start === undefined) return { total, summaries: [] };
  const items = await table().query<{ summary: T }>({
    ...{ index: "list", pk: list, descending: true },
    ...{ between: [padded(1), padded(start.from)], limit: start.skip + size },
  });
  return { total, summaries: items.slice(start.skip).map(({ summary }) => summary) };
}

/** Every summary, the highest number first. */
export async function allNumbered<T>({ list }: Pick<NumberedRecords, "list">): Promise<T[]> {
  const items = await table().query<{ summary: T }>({ index: "list", pk: list, descending: true });
  return items.map(({ summary }) => summary);
}

/** Where a page begins: the number to read downwards from, and how many to pass over there. */
function startOf(counts: Counts, passed: number): { from: number; skip: number } | undefined {
  let left = passed;
  const buckets = Object.keys(counts).flatMap((name) => (/^b\d+$/.test(name) ? [Number(name.slice(1))] : []));
  for (const bucket of buckets.sort((a, b) => b - a)) {
    const count = Number(counts[bucketName(bucket)]);
    const top = (bucket + 1) * bucketSize;
    // In a hundred without gaps the number itself says where.
    if (left < count) return count === bucketSize ? { from: top - left, skip: 0 } : { from: top, skip: left };
    left -= count;
  }
  return undefined;
}

function bucketOf(index: number): number {
  return Math.floor((index - 1) / bucketSize);
}

function bucketName(bucket: number): string {
  return `b${bucket}`;
}
