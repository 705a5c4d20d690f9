import { nowSeconds } from "../../base/store/ids.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import { overwrite } from "../../base/store/writes.ts";

/** How a wait of a job for workloads ended. */
export interface ReadinessOutcome {
  /** A sentence for each workload that is not ready; empty when all are. */
  notReady: string[];
  /** The wait's time was up. */
  overdue: boolean;
}

const keptSeconds = 7 * 24 * 3600;

/** Repeating it is harmless: the last look at the cluster counts. */
export async function recordOutcome(waitId: string, outcome: ReadinessOutcome): Promise<void> {
  const ttl = nowSeconds() + keptSeconds;
  await table().write(overwrite({ ...outcome, ...keys.readinessOutcome(waitId), type: "readiness-outcome", ttl }));
}

export function findOutcome(waitId: string): Promise<ReadinessOutcome | undefined> {
  return table().get<ReadinessOutcome>(keys.readinessOutcome(waitId), { consistent: true });
}
