import { ApiError } from "../../errors/apiError.ts";
import type { Middleware } from "../exchange.ts";
import type { Router } from "../router.ts";
import { toCollapsedPath } from "./toCollapsedPath.ts";

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
