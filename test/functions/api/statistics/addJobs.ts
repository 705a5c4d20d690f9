import { newId } from "../../../../shared/base/store/ids.ts";
import { retryOnConflict } from "../../../../shared/base/store/retryOnConflict.ts";
import type { JobRow } from "../../../../shared/reports/statistics/rules/jobRow.ts";
import { endWrites } from "../../../../shared/reports/statistics/store/deliveredServices.ts";
import { writeCounted } from "../../../../shared/reports/statistics/store/writeCounted.ts";

/** A job that ended so, as the end of a task would have counted it. Times are given as `2026-03-01T10:00:00Z`. */
export async function addJob(
  given: Pick<JobRow, "type" | "status"> & { at: string; started?: string; seconds?: number } & Partial<JobRow>,
): Promise<void> {
  const { at, started = at, seconds = 10, ...row } = given;
  const [createTime, startTime] = [at, started].map((text) => Date.parse(text) / 1000) as [number, number];
  const usual = { projectKey: "shop", workflowKey: "ship", taskId: 1, production: false, envKey: "", service: "" };
  const whole: JobRow = { ...usual, jobId: newId(), createTime, startTime, endTime: startTime + seconds, ...row };
  await retryOnConflict(async () => writeCounted(await endWrites(whole)), "delivered service");
}

/** Unix seconds, as queries take them. */
export const at = (text: string): number => Date.parse(text) / 1000;
