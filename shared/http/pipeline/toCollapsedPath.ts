import type { ApiEvent, ApiResponse } from "../exchange.ts";
import { collapsePath, pathSegments } from "../pathSegments.ts";

/**
 * Sends a caller on to the same path without empty segments: API Gateway gives `//openapi/…` to the group of the root,
 * which cannot answer for the others. Undefined for a path that has none, or that is no path.
 */
export function toCollapsedPath(event: ApiEvent): Pick<ApiResponse, "statusCode" | "body" | "headers"> | undefined {
  if (collapsePath(event.path) === event.path) return undefined;
  // The address that was called: with the stage, where it has one.
  const segments = pathSegments(event.requestContext.path ?? event.path);
  if (segments === undefined) return undefined;
  // Made anew from its parts, so that it never names another host.
  const location = `/${segments.map(encodeURIComponent).join("/")}${queryOf(event)}`;
  return { statusCode: 308, headers: { location }, body: "" };
}

function queryOf({ multiValueQueryStringParameters }: ApiEvent): string {
  const query = new URLSearchParams();
  for (const [name, values = []] of Object.entries(multiValueQueryStringParameters ?? {}))
    for (const value of values) query.append(name, value);
  return query.size === 0 ? "" : `?${query}`;
}
