import { mustExist } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { statisticKeys } from "../../../base/store/keys/statisticKeys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { create, named, replace, update, type Write } from "../../../base/store/writes.ts";
import { afterDeployment, afterRollback, type Delivered } from "../rules/delivered.ts";
import { isDeployment, type JobRow } from "../rules/jobRow.ts";
import { countDay } from "./dayCounters.ts";
import { dayOfJob, jobRowWrites } from "./jobRows.ts";

/** As long as a range of statistics is: a failure that lasted longer is forgotten. */
const keptSeconds = 365 * 24 * 3600;

type Place = Pick<JobRow, "projectKey" | "envKey" | "service">;

/**
 * What goes with the end of a job: `jobRowWrites`, and for a deployment to production what it means for its service, whose
 * record is read for that.
 * @returns writes of one transaction by the shard that it counts on; it loses "delivered service" when another deployment
 *   of the service ended since, and then this has to be asked again
 */
export async function endWrites(row: JobRow): Promise<(shard: number) => Write[]> {
  if (!isDeployment(row)) return (shard) => jobRowWrites(row, shard);
  const before = await find(row);
  const { after, delivery } = afterDeployment(before ?? {}, row, dayOfJob(row));
  return (shard) => [...jobRowWrites({ ...row, ...delivery }, shard), place(row, before, after)];
}

/**
 * What goes with a rollback of a service of a production environment: it counts under the day of the deployment that it
 * takes back.
 * @param at Unix seconds
 * @returns none where no deployment was taken back; else as `endWrites`
 */
export async function takenBackWrites(service: Place, at: number): Promise<Write[]> {
  const before = await find(service);
  const found = before && afterRollback(before, at);
  if (found === undefined) return [];
  const { of, delivery } = found;
  return [
    place(service, before, {}),
    update(statisticKeys.jobRow(of.day, of.jobId), { add: { ...delivery } }, mustExist),
    ...countDay("release", service.projectKey, of.day, delivery, 0),
  ];
}

function find({ projectKey, envKey, service }: Place): Promise<Item<Delivered> | undefined> {
  return table().get<Delivered>(statisticKeys.deliveredService(projectKey, envKey, service));
}

function place({ projectKey, envKey, service }: Place, before: Item<Delivered> | undefined, after: Delivered): Write {
  const key = statisticKeys.deliveredService(projectKey, envKey, service);
  const item = { ...key, type: "delivered-service", ...after, ttl: nowSeconds() + keptSeconds };
  return named("delivered service", before === undefined ? create(item) : replace(item, before.version));
}
