import { config } from "../../../base/settings/config.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { statisticKeys } from "../../../base/store/keys/statisticKeys.ts";
import { table } from "../../../base/store/table.ts";
import { create, named, type Write } from "../../../base/store/writes.ts";
import { type Day, dayOf } from "../rules/days.ts";
import { countsOf, dayOfRow, deliveryOf, isCountedType, type JobRow } from "../rules/jobRow.ts";
import { countDay } from "./dayCounters.ts";

/** Far longer than the recount looks back. */
const keptSeconds = 30 * 24 * 3600;

/**
 * What goes with the end of a job: its row, and what it adds to the numbers of its day. Loses "job row" when the run was
 * counted before.
 */
export function jobRowWrites(row: JobRow, shard: number): Write[] {
  if (!isCountedType(row.type)) return [];
  const day = dayOfJob(row);
  const ttl = nowSeconds() + keptSeconds;
  return [
    named("job row", create({ ...statisticKeys.jobRow(day, row.jobId), type: "job-row", ...shown(row), ttl })),
    ...countsOf(row).flatMap(({ kind, amounts }) => countDay(kind, row.projectKey, day, amounts, shard)),
  ];
}

/** The day that it counts under, in the zone of the installation. */
export function dayOfJob(row: JobRow): Day {
  return dayOfRow(row, (seconds) => dayOf(seconds, config().SLIPWAY_TIME_ZONE));
}

/** `type` of an item is the table's own. */
function shown({ type: jobType, ...row }: JobRow) {
  return { ...row, jobType };
}

/** Every job that counts under a day; consistent. */
export async function rowsOfDay(day: Day): Promise<JobRow[]> {
  const items = await table().query<ReturnType<typeof shown>>({ pk: statisticKeys.jobRow(day, "").pk });
  return items.map(
    ({ jobType, jobId, projectKey, workflowKey, taskId, status, production, envKey, service, ...item }) => {
      const { createTime, startTime, endTime } = item;
      const times = { createTime, startTime, endTime };
      const deployed = { production, envKey, service, ...deliveryOf(item) };
      return { jobId, projectKey, workflowKey, taskId, type: jobType, status, ...deployed, ...times };
    },
  );
}
