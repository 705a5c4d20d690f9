import { keys, lists, padded, references } from "../../store/keys.ts";
import { table } from "../../store/theTable.ts";
import { environmentOf, type OperationRecord } from "../rules/operationRecord.ts";
import { countEnvironment, functionCode, type LogCounts, logCounts, type Places, takePlaces } from "./counts.ts";
import type { PlacesItem } from "./operationItems.ts";

/** So far back numbers are looked through: a request that was killed took its own a few minutes ago. */
const maxLookedAt = 1000;

/**
 * The record of a request that was killed, with numbers. Where the request came so far that it took some, it gets those, so
 * that the log counts as many records as there are; where it had put itself into lists, it has the status that these say.
 * What it counted in lists before it stood in them stays counted.
 */
export async function unusedPlaces(record: OperationRecord): Promise<{ record: OperationRecord; places: Places }> {
  for (const sequence of await unusedNumbers()) {
    const found = await placesOf(record, sequence);
    if (found !== undefined) return found;
  }
  const [sequence] = await unusedNumbers();
  return { record, places: await takePlaces(record, sequence) };
}

/** Numbers of the whole log that no record has, lowest first, among its newest. */
async function unusedNumbers(): Promise<number[]> {
  const [counts, items] = await Promise.all([
    table().get<LogCounts>(logCounts),
    table().query<object>({ pk: keys.operationLog(0).pk, descending: true, limit: maxLookedAt }),
  ]);
  const used = new Set(items.map(({ sk }) => Number(sk)));
  const last = counts?.value ?? 0;
  const first = items.length === 0 ? last : Math.min(...used);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at).filter((number) => !used.has(number));
}

/** What the request had put into lists under this number, if it was this request. */
async function placesOf(record: OperationRecord, sequence: number) {
  const { pk } = keys.operationPlaces(functionCode(record.function), 0, 0);
  const items = await table().query<PlacesItem>({ pk, descending: true, limit: maxLookedAt });
  const item = items.find(({ sk }) => sk.endsWith(`#${padded(sequence)}`));
  if (item?.refPk !== references.operationsOfUser(record.username)) return undefined;
  const status = Number(item.listPk.slice(lists.operationsOfStatus(0).length - 1));
  const environment = environmentOf(record);
  const places: Places = {
    ...{ sequence, function: Number(item.sk.split("#")[0]), status: Number(item.listSk), user: Number(item.refSk) },
    ...(environment !== undefined && { environment: await countEnvironment(record.projectKey, environment) }),
  };
  return { record: { ...record, status }, places };
}
