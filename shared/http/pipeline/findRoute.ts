import { ApiError } from "../../base/errors/apiError.ts";
import type { ApiEvent, ApiResponse, Middleware } from "../exchange.ts";
import { collapsePath, pathSegments } from "../pathSegments.ts";
import type { Router } from "../router.ts";

/**
 * Finds the declaration of the request: 404 and 405 with a body (contract I 1.11, 1.12). A path with empty segments that
 * this group does not know is another group's, to which the caller is sent.
 */
export function findRoute(router: Router): Middleware {
  return {
    before: ({ event, internal }) => {
      const match = router.match(event.httpMethod, event.path);
      if (match.found === "nothing") {
        const elsewhere = toCollapsedPath(event);
        if (elsewhere === undefined) throw new ApiError(404, `Invalid path: ${event.path}`);
        return { ...elsewhere, headers: { ...internal.responseHeaders, ...elsewhere.headers } };
      }
      if (match.found === "otherMethods") {
        internal.responseHeaders.allow = match.allow.join(", ");
        throw new ApiError(405, `Method not allowed: ${event.httpMethod} ${event.path}`);
      }
      internal.route = match.route;
      internal.routeId = match.id;
      internal.params = match.params;
      for (const [canonical, aliases] of Object.entries(match.route.queryAliases)) {
        const given = aliases.map((alias) => internal.query[alias]).find((value) => value !== undefined);
        if (given !== undefined) internal.query[canonical] ??= given;
      }
      return undefined;
    },
  };
}

/**
 * Sends a caller on to the same path without empty segments: API Gateway gives `//openapi/…` to the group of the root,
 * which cannot answer for the others. Undefined for a path that has none, or that is no path.
 */
function toCollapsedPath(event: ApiEvent): Pick<ApiResponse, "statusCode" | "body" | "headers"> | undefined {
  if (collapsePath(event.path) === event.path) return undefined;
  // The address that was called: with the stage, where it has one.
  const segments = pathSegments(event.requestContext.path ?? event.path);
  if (segments === undefined) return undefined;
  // Rebuilt from its parts, so that it never names another host.
  const location = `/${segments.map(encodeURIComponent).join("/")}${queryOf(event)}`;
  return { statusCode: 308, headers: { location }, body: "" };
}

function queryOf({ multiValueQueryStringParameters }: ApiEvent): string {
  const query = new URLSearchParams();
  for (const [name, values = []] of Object.entries(multiValueQueryStringParameters ?? {}))
    for (const value of values) query.append(name, value);
  return query.size === 0 ? "" : `?${query}`;
}
