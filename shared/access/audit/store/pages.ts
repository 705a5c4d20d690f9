import { keys, lists } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { OperationRecord } from "../rules/operationRecord.ts";
import { countOf, environmentCount, type LogCounts, logCounts, readCounts } from "./counts.ts";
import { recordOf, type StoredOperation } from "./operationItems.ts";
import { itemsOfPage, type Partition } from "./partitions.ts";
import { type Filter, type OperationPage, readUnindexed, withUnindexed } from "./unindexed.ts";

/** The whole log, newest first; found by the records' numbers, so that every page costs the same. */
export async function pageOfOperations(page: number, size: number): Promise<OperationPage> {
  const count = countOf(await readCounts(), "value");
  const records = await pageOf({ pk: keys.operationLog(0).pk, ...count }, page, size);
  return { records, total: count.value - count.removed };
}

/** One page of an environment's log (contract I 9.3). */
export async function pageOfEnvironment(
  projectKey: string,
  environment: string,
  page: number,
  size: number,
): Promise<OperationPage> {
  const { counts, partition } = await readEnvironment(projectKey, environment);
  const older = { counts, filter: isAbout(projectKey, environment) };
  const records = await pageOf(partition, page, size);
  return withUnindexed(records, partition.value - partition.removed, older, page, size);
}

/** Records of an environment that pass `filter`, among its newest `most` (decisions 3.8). */
export async function searchEnvironment(
  projectKey: string,
  environment: string,
  filter: Filter,
  { most, page, size }: { most: number; page: number; size: number },
): Promise<OperationPage> {
  const { counts, partition } = await readEnvironment(projectKey, environment);
  const newest = await pageOf(partition, 1, most);
  const older = newest.length < most ? await readUnindexed(counts, isAbout(projectKey, environment)) : [];
  const matching = [...newest, ...older].slice(0, most).filter(filter);
  return { records: matching.slice((page - 1) * size, page * size), total: matching.length };
}

function isAbout(projectKey: string, environment: string): Filter {
  return (record) =>
    record.scene === "environment" && record.projectKey === projectKey && record.targets.includes(environment);
}

async function readEnvironment(
  projectKey: string,
  environment: string,
): Promise<{ counts: LogCounts; partition: Partition }> {
  const own = environmentCount(projectKey, environment);
  const items = await table().getMany<LogCounts>([own, logCounts], { consistent: false });
  const find = (pk: string): LogCounts => items.find((item) => item.pk === pk) ?? {};
  const pk = lists.operationsOfEnvironment(projectKey, environment);
  return { counts: find(logCounts.pk), partition: { pk, index: "list", ...countOf(find(own.pk), "value") } };
}

/** The whole log and the lists of environments hold the records themselves. */
async function pageOf(partition: Partition, page: number, size: number): Promise<OperationRecord[]> {
  return (await itemsOfPage<StoredOperation>(partition, page, size)).map(recordOf);
}
