import { table } from "../../../base/store/table.ts";
import { TransactionContended } from "../../../base/store/tableClient.ts";
import type { Write } from "../../../base/store/writes.ts";
import { shardCount } from "./dayCounters.ts";

const maxTries = 8;

/**
 * A transaction with counters in it. The first try counts on shard 0, so that days without a crowd have one item; one that
 * another transaction disturbed takes any shard (decision 111).
 * @throws ConditionFailed with the names of those that lost; TransactionContended after the last try
 */
export async function writeCounted(writesOn: (shard: number) => readonly Write[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    const shard = tries === 1 ? 0 : Math.floor(Math.random() * shardCount);
    try {
      return await table().writeOnce(...writesOn(shard));
    } catch (error) {
      if (!(error instanceof TransactionContended) || tries >= maxTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * 2 ** tries));
    }
  }
}
