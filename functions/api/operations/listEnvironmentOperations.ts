import { pageOfEnvironment, searchEnvironment } from "../../../shared/access/audit/store/pages.ts";
import type { Filter, OperationPage } from "../../../shared/access/audit/store/unindexed.ts";
import { pageOf, refuseSearchType, type Search, statusOf } from "./search.ts";

/** A filter looks at this many records of the environment, from the newest back (decisions 3.8). */
const maxLookedAt = 2000;

/** One page of an environment's operation log (contract I 9.3). @throws ApiError 6652 naming the parameter that is wrong */
export async function listEnvironmentOperations(
  of: { projectKey: string; envName: string },
  search: Search,
): Promise<OperationPage> {
  const filter = filterOf(search);
  const { page, size } = pageOf(search);
  if (filter === undefined) return pageOfEnvironment(of.projectKey, of.envName, page, size);
  return searchEnvironment(of.projectKey, of.envName, filter, { most: maxLookedAt, page, size });
}

/** Exactly one filter is active, the parameters of the others are ignored; undefined when everything is meant. */
function filterOf(search: Search): Filter | undefined {
  switch (search.searchType) {
    case "all":
      return undefined;
    case "user":
      return textFilter(search.username, ({ username }) => username);
    case "function":
      return textFilter(search.function, (record) => record.function);
    case "detail":
      return textFilter(search.detail, ({ detail }) => detail);
    case "status": {
      const status = statusOf(search);
      return status === 0 ? undefined : (record) => record.status === status;
    }
    default:
      return refuseSearchType(search.searchType, "all, user, function, status or detail");
  }
}

function textFilter(text: string | undefined, of: (record: Parameters<Filter>[0]) => string): Filter | undefined {
  return text === undefined || text === "" ? undefined : (record) => of(record).includes(text);
}
