import type { Key } from "../../shared/base/store/keys/keys.ts";
import { table } from "../../shared/base/store/table.ts";

const itemsAtOnce = 100;

/** Puts many items straight into the table, for tests of what a large installation costs. Nothing is checked. */
export async function batchWrite(count: number, item: (at: number) => Record<string, unknown>): Promise<void> {
  for (let from = 0; from < count; from += itemsAtOnce) {
    const items = Array.from({ length: Math.min(itemsAtOnce, count - from) }, (_, at) => item(from + at));
    await table().write(...items.map((one) => ({ kind: "put" as const, item: one as Key & Record<string, unknown> })));
  }
}
