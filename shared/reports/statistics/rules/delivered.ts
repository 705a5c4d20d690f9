import type { Day } from "./days.ts";
import type { Delivery, JobRow } from "./jobRow.ts";

/** The state of a service of a production environment between two of its deployments (decision 125). */
export interface Delivered {
  /** Unix seconds: the end of the first of the deployments that failed one after the other; absent while it is well. */
  failingSince?: number;
  /** The last deployment, until it is taken back; `day` is the one that it counts under. */
  last?: { jobId: string; day: Day; endTime: number; passed: boolean };
}

/** A deployment that is taken back within this time counts as failed (decisions 12.8). */
const takenBackSeconds = 24 * 3600;

/** What a deployment that passed or failed makes of its service, and what it adds to the numbers. */
export function afterDeployment(
  { failingSince }: Delivered,
  { jobId, endTime, status }: JobRow,
  day: Day,
): { after: Delivered; delivery: Delivery } {
  const passed = status === "passed";
  const last = { jobId, day, endTime, passed };
  if (!passed) return { after: { failingSince: failingSince ?? endTime, last }, delivery: {} };
  return { after: { last }, delivery: failingSince === undefined ? {} : restored(failingSince, endTime) };
}

/**
 * What a rollback says of the last deployment: that it failed, and that the service is well again.
 * @param at Unix seconds
 * @returns undefined when there was none within a day
 */
export function afterRollback(
  { failingSince, last }: Delivered,
  at: number,
): { of: NonNullable<Delivered["last"]>; delivery: Delivery } | undefined {
  if (last === undefined || at - last.endTime > takenBackSeconds) return undefined;
  const delivery = restored(failingSince ?? last.endTime, at);
  return { of: last, delivery: last.passed ? { ...delivery, rolledBack: 1 } : delivery };
}

function restored(since: number, at: number): Delivery {
  return { restores: 1, restoreSeconds: Math.max(0, at - since) };
}
