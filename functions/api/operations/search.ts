import { ApiError } from "../../../shared/base/errors/apiError.ts";

/** The query of both lists, as text: failures carry code 6652 (contract I 9.2), so the use-cases judge it. */
export interface Search {
  searchType?: string | undefined;
  projectKey?: string | undefined;
  username?: string | undefined;
  function?: string | undefined;
  status?: string | undefined;
  detail?: string | undefined;
  perPage?: string | undefined;
  page?: string | undefined;
}

const maxPerPage = 1000;

/** Which page is asked for. @throws ApiError 6652 naming the parameter that is wrong */
export function pageOf(search: Search): { page: number; size: number } {
  return {
    size: Math.min(wholeNumber("perPage", search.perPage, 20) || 50, maxPerPage),
    page: wholeNumber("page", search.page, 1) || 1,
  };
}

/** The status that is searched for; 0 for any. @throws ApiError 6652 */
export function statusOf(search: Search): number {
  return wholeNumber("status", search.status);
}

/** @throws ApiError 6652 */
export function refuseSearchType(given: string | undefined, allowed: string): never {
  throw new ApiError(6652, `invalid search type: ${given ?? ""}; searchType must be ${allowed}`);
}

function wholeNumber(name: string, text: string | undefined, fallback?: number): number {
  if (text === undefined && fallback !== undefined) return fallback;
  if (text === undefined || !/^\d{1,9}$/.test(text))
    throw new ApiError(6652, `${name} must be a whole number of 0 or more, not "${text ?? ""}"`);
  return Number(text);
}
