import { readCounter } from "./counters.ts";
import { table } from "./table.ts";

/**
 * A page of the summaries that a list of the index holds, and how many a counter says there are; a page behind the end asks
 * the list nothing.
 * @param options descending: the last of the list comes first
 */
export async function listedPage<T>(
  { counter, list }: { counter: string; list: string },
  page: number,
  pageSize: number,
  options: { descending?: boolean } = {},
): Promise<{ summaries: T[]; total: number }> {
  const total = await readCounter(counter);
  const start = (page - 1) * pageSize;
  if (start >= total) return { summaries: [], total };
  const items = await table().query<{ summary: T }>({ index: "list", pk: list, limit: page * pageSize, ...options });
  return { summaries: items.slice(start).map(({ summary }) => summary), total };
}
