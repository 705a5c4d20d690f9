import { ApiError } from "../../../shared/domain/errors/apiError.ts";
import { findOperations, type OperationRecord, pageOfOperations } from "../../../shared/store/operationLogs.ts";

interface Search {
  searchType?: string | undefined;
  projectKey?: string | undefined;
  username?: string | undefined;
  function?: string | undefined;
  status?: string | undefined;
  perPage?: string | undefined;
  page?: string | undefined;
}

const mostPerPage = 1000;

/** One page of the operation log (contract I 9.2). @throws ApiError 6652 naming the parameter that is wrong */
export async function listOperations(search: Search): Promise<{ records: OperationRecord[]; total: number }> {
  const filter = filterOf(search);
  const perPage = Math.min(wholeNumber("perPage", search.perPage, 20) || 50, mostPerPage);
  const page = wholeNumber("page", search.page, 1) || 1;
  return filter === undefined ? pageOfOperations(page, perPage) : findOperations(filter, page, perPage);
}

/** Exactly one filter is active; the parameters of the others are ignored. */
function filterOf(search: Search): ((record: OperationRecord) => boolean) | undefined {
  switch (search.searchType) {
    case "all":
      return undefined;
    case "project":
      return (record) => record.projectKey.includes(search.projectKey ?? "");
    case "user":
      return (record) => record.username.includes(search.username ?? "");
    case "function":
      return (record) => record.function.includes(search.function ?? "");
    case "status": {
      const status = wholeNumber("status", search.status);
      return status === 0 ? undefined : (record) => record.status === status;
    }
    default:
      throw new ApiError(
        6652,
        `invalid search type: ${search.searchType ?? ""}; searchType must be all, project, user, function or status`,
      );
  }
}

function wholeNumber(name: string, text: string | undefined, fallback?: number): number {
  if (text === undefined && fallback !== undefined) return fallback;
  if (text === undefined || !/^\d{1,9}$/.test(text))
    throw new ApiError(6652, `${name} must be a whole number of 0 or more, not "${text ?? ""}"`);
  return Number(text);
}
