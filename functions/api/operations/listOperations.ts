import { type LogCounts, readCounts } from "../../../shared/access/audit/store/counts.ts";
import { pageOfOperations } from "../../../shared/access/audit/store/pages.ts";
import {
  type Partition,
  partitionOfStatus,
  partitionsOfFunctions,
  partitionsOfProjects,
  partitionsOfUsers,
} from "../../../shared/access/audit/store/partitions.ts";
import { searchOperations } from "../../../shared/access/audit/store/search.ts";
import type { Filter, OperationPage } from "../../../shared/access/audit/store/unindexed.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { pageOf, refuseSearchType, type Search, statusOf } from "./search.ts";

/** More values of a dictionary than this are not merged (decisions 3.8). */
const maxPartitions = 8;
/** How far down several partitions are merged; one alone has no bottom. */
const deepestMerged = 10_000;

/** What is looked for: the same in the indexes and in a record that is in none of them. */
interface Meant {
  filter: Filter;
  partitions: (counts: LogCounts) => Promise<Partition[]> | Partition[];
}

/** One page of the operation log (contract I 9.2). @throws ApiError 6652 naming the parameter that is wrong */
export async function listOperations(search: Search): Promise<OperationPage> {
  const meant = meantBy(search);
  const { page, size } = pageOf(search);
  if (meant === undefined) return pageOfOperations(page, size);
  const counts = await readCounts();
  const partitions = (await meant.partitions(counts)).filter(({ value, removed }) => value > removed);
  if (partitions.length > maxPartitions)
    throw tooMuch(`${search.searchType} matches ${partitions.length} different values`);
  if (partitions.length > 1 && page * size > deepestMerged)
    throw tooMuch(`records behind the newest ${deepestMerged} are listed for one value of ${search.searchType} only`);
  return searchOperations(partitions, { counts, filter: meant.filter }, page, size);
}

/** Exactly one filter is active, the parameters of the others are ignored; undefined when everything is meant. */
function meantBy(search: Search): Meant | undefined {
  switch (search.searchType) {
    case "all":
      return undefined;
    case "project":
      return textSearch(search.projectKey, (has) => ({
        filter: ({ projectKey }) => has(projectKey),
        partitions: () => partitionsOfProjects(has),
      }));
    case "user":
      return textSearch(search.username, (has) => ({
        filter: ({ username }) => has(username),
        partitions: () => partitionsOfUsers(has),
      }));
    case "function":
      return textSearch(search.function, (has) => ({
        filter: (record) => has(record.function),
        partitions: (counts) => partitionsOfFunctions(counts, has),
      }));
    case "status": {
      const status = statusOf(search);
      if (status === 0) return undefined;
      return {
        filter: (record) => record.status === status,
        partitions: (counts) => [partitionOfStatus(counts, status)],
      };
    }
    default:
      return refuseSearchType(search.searchType, "all, project, user, function or status");
  }
}

/** A plain part of the text, case included; an empty one is part of every text. */
function textSearch(text: string | undefined, meant: (has: (value: string) => boolean) => Meant): Meant | undefined {
  return text === undefined || text === "" ? undefined : meant((value) => value.includes(text));
}

function tooMuch(why: string): ApiError {
  return new ApiError(6652, `be more specific: ${why}; at most ${maxPartitions} values are searched together`);
}
