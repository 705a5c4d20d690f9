import { countIn } from "../../store/counters.ts";
import { keys, lists, padded } from "../../store/keys.ts";
import type { Item } from "../../store/table.ts";
import { table } from "../../store/theTable.ts";
import type { Write } from "../../store/writes.ts";
import type { PlanSummary } from "./plans.ts";

/** Numbers that share a count. */
const bucketSize = 100;

/**
 * How many plans there are, and how many of each hundred numbers: plans are deletable, so that a page cannot be found by
 * its number alone. Attributes are named `b<bucket>`.
 */
type Counts = Item<{ total: number }> & Readonly<Record<string, unknown>>;

/** For the transaction that makes a plan or takes it away. */
export function countPlan(index: number, amount: 1 | -1): Write {
  return countIn(keys.releasePlanCounts(), "release-plan-counts", {
    total: amount,
    [bucketName(bucketOf(index))]: amount,
  });
}

/** A page of plans, the highest number first: any page costs about the same, however many plans there are. */
export async function pageOfPlans(page: number, size: number): Promise<{ total: number; plans: PlanSummary[] }> {
  const counts = await table().get<Counts>(keys.releasePlanCounts(), { consistent: false });
  const total = counts?.total ?? 0;
  const start = counts && startOf(counts, (page - 1) * size);
  if (start === undefined) return { total, plans: [] };
  const items = await table().query<{ summary: PlanSummary }>({
    ...{ index: "list", pk: lists.releasePlans, descending: true },
    ...{ between: [padded(1), padded(start.from)], limit: start.skip + size },
  });
  return { total, plans: items.slice(start.skip).map(({ summary }) => summary) };
}

/** Every plan, the highest number first: for what is searched by. */
export async function allPlans(): Promise<PlanSummary[]> {
  const options = { index: "list", pk: lists.releasePlans, descending: true } as const;
  return (await table().query<{ summary: PlanSummary }>(options)).map(({ summary }) => summary);
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
