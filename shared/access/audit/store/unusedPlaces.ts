import { keys, lists, padded, references } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import { environmentOf, type OperationRecord } from "../rules/operationRecord.ts";
import { countEnvironment, countOf, functionCode, type Places, readCounts, takePlaces } from "./counts.ts";
import type { PlacesItem } from "./operationItems.ts";

/** So far back numbers are looked through: a request that was killed took its own a few minutes ago. */
const maxLookedAt = 1000;

/**
 * The record of a request that was killed, with numbers. Where the request came so far that it took some, it gets those, so
 * that the log counts as many records as there are; where it had put itself into lists, it has the status that these say.
 * What it counted in lists before it was in them stays counted.
 */
export async function unusedPlaces(record: OperationRecord): Promise<{ record: OperationRecord; places: Places }> {
  const { pk } = keys.operationPlaces(functionCode(record.function), 0, 0);
  const [numbers, items] = await Promise.all([
    unusedNumbers(),
    table().query<PlacesItem>({ pk, descending: true, limit: maxLookedAt }),
  ]);
  const byUser = items.filter(({ refPk }) => refPk === references.operationsOfUser(record.username));
  for (const sequence of numbers) {
    const put = byUser.find(({ sk }) => sk.endsWith(`#${padded(sequence)}`));
    if (put !== undefined) return withPlaces(record, sequence, put);
  }
  return { record, places: await takePlaces(record, numbers[0]) };
}

/** Numbers of the whole log that no record has, lowest first, among its newest. */
async function unusedNumbers(): Promise<number[]> {
  const [counts, items] = await Promise.all([
    readCounts({ consistent: true }),
    table().query<object>({ pk: keys.operationLog(0).pk, descending: true, limit: maxLookedAt }),
  ]);
  const { value: last, removed } = countOf(counts, "value");
  const used = new Set(items.map(({ sk }) => Number(sk)));
  const first = items.length === 0 ? removed + 1 : Math.min(...used);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((number) => !used.has(number));
}

/** The record as the request had put it into lists under this number. */
async function withPlaces(record: OperationRecord, sequence: number, { sk, listPk, listSk, refSk }: PlacesItem) {
  const status = Number(listPk.slice(lists.operationsOfStatus(0).length - 1));
  const environment = environmentOf(record);
  const places: Places = {
    ...{ sequence, function: Number(sk.split("#")[0]), status: Number(listSk), user: Number(refSk) },
    ...(environment !== undefined && { environment: await countEnvironment(record.projectKey, environment) }),
  };
  return { record: { ...record, status }, places };
}
