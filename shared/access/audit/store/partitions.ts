import type { IndexName } from "../../../base/store/engine.ts";
import { keys, lists, padded, references } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { operationFunctions } from "../rules/functions.ts";
import { readChains } from "./chains.ts";
import { type Count, countOf, functionCode, type LogCounts, statusCode } from "./counts.ts";
import { projectOfChain } from "./seal.ts";

/** A list of records in which each has its number, from 1 without a gap, so that any page is found at once. */
export interface Partition extends Count {
  pk: string;
  index?: IndexName;
}

/** One page of a partition's items, newest first. */
export async function itemsOfPage<T>(
  { pk, index, ...count }: Partition,
  page: number,
  size: number,
): Promise<Item<T>[]> {
  const places = placesOfPage(count, page, size);
  if (places === undefined) return [];
  const [first, last] = places;
  // Some sort keys go on behind the place.
  const between = [padded(first), `${padded(last)}~`] as const;
  return table().query<T>({ pk, ...(index && { index }), between, descending: true, consistent: false });
}

/** The places that a page takes, first and last included; undefined for a page behind the end. */
function placesOfPage({ value, removed }: Count, page: number, size: number): [number, number] | undefined {
  const last = value - (page - 1) * size;
  if (last <= removed) return undefined;
  // The last page takes whatever is left: where a removal ended, records made at one moment may be in another order.
  return [last - size <= removed ? 0 : last - size + 1, last];
}

export function partitionsOfFunctions(counts: LogCounts, isMeant: (name: string) => boolean): Partition[] {
  return operationFunctions.filter(isMeant).flatMap((name) => {
    const count = countOf(counts, functionCode(name));
    return count.value === 0 ? [] : [{ pk: keys.operationPlaces(functionCode(name), 0, 0).pk, ...count }];
  });
}

export function partitionOfStatus(counts: LogCounts, status: number): Partition {
  return { pk: lists.operationsOfStatus(status), index: "list", ...countOf(counts, statusCode(status)) };
}

/** Every user who is in the log and is meant; reads the dictionary of names. */
export async function partitionsOfUsers(isMeant: (username: string) => boolean): Promise<Partition[]> {
  const names = await table().query<Partial<Count> & { name: string }>({
    pk: keys.operationUser("").pk,
    consistent: false,
  });
  return names
    .filter(({ name }) => isMeant(name))
    .map(({ name, value = 0, removed = 0 }) => ({
      pk: references.operationsOfUser(name),
      index: "references",
      value,
      removed,
    }));
}

/** Every project that is in the log and is meant; reads the dictionary of chains. */
export async function partitionsOfProjects(isMeant: (projectKey: string) => boolean): Promise<Partition[]> {
  const chains = await readChains({ consistent: false });
  return chains
    .filter(({ name }) => isMeant(projectOfChain(name)))
    .map(({ name, end, anchor }) => ({
      pk: references.operationsOfChain(name),
      index: "references",
      value: end.sequence,
      removed: anchor.sequence,
    }));
}
