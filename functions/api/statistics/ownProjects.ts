import { ApiError } from "../../../shared/errors/apiError.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { mostProjects } from "./schemas.ts";

/**
 * Of the named projects, or of all when none is named (`[]`), those in which the caller holds a role.
 * @throws ApiError 400 for more of them than may be asked for at once
 */
export function ownProjects(asked: readonly string[], { grants }: Caller): readonly string[] | "none" {
  if (grants.systemAdmin || grants.readsEverything) return asked;
  const own = asked.length === 0 ? [...grants.projects.keys()] : asked.filter((key) => grants.projects.has(key));
  if (own.length > mostProjects)
    throw new ApiError(
      400,
      `projectKey is missing: of more than ${mostProjects} projects it must name those to measure`,
    );
  return own.length === 0 ? "none" : own;
}
