import { setTimeout as sleep } from "node:timers/promises";

/**
 * Resolves when reads of indexes show all that was written before. In DynamoDB they are late, and the suites run with late
 * ones as well (`SLIPWAY_TEST_LATE_INDEXES`, milliseconds): a test that reads a list at once, which people do not, waits.
 */
export async function indexesShowAll(): Promise<void> {
  const milliseconds = Number(process.env.SLIPWAY_TEST_LATE_INDEXES ?? 0);
  if (milliseconds > 0) await sleep(milliseconds + 5);
}
