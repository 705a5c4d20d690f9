import { sentPath } from "../base/common/withAliases.ts";
import type { Problem } from "../base/errors/apiError.ts";
import { isRecord } from "../manifest/schema/kubeObject.ts";
import { type Exchange, rawRequest } from "./exchange.ts";
import { fromBody, fromQuery, type Place, type RawRequest, type Route } from "./route.ts";

/** The names by which a request may name its project, and the place that its declaration asks for it first. */
export interface EitherPlace {
  declared: "query" | "body";
  query: string;
  body: string;
}

/**
 * Query and body replace each other where a declaration asks either of them for the project and there is a body;
 * undefined for all other declarations.
 */
export function eitherPlace({ scope, body }: Pick<Route, "scope" | "body">): EitherPlace | undefined {
  const [place] = [scope.project ?? []].flat();
  if (place === undefined || place.in === "path" || body === undefined) return undefined;
  return { query: "projectKey", body: "project_key", [place.in]: place.name, declared: place.in };
}

/** Takes the project from the other place where the declared one leaves it out; both given and different is a problem. */
export function fillProject(exchange: Exchange, either: EitherPlace): Problem[] {
  const raw = rawRequest(exchange);
  const inQuery = textAt(raw, fromQuery(either.query));
  const inBody = textAt(raw, fromBody(either.body));
  if (inQuery !== undefined && inBody !== undefined) return inQuery === inBody ? [] : differ(exchange, either);
  const name = either[either.declared];
  if (either.declared === "query" && inBody !== undefined) exchange.query = { ...exchange.query, [name]: inBody };
  if (either.declared === "body" && inQuery !== undefined && isRecord(exchange.body))
    exchange.body = { ...exchange.body, [name]: inQuery };
  return [];
}

/** What the request says at a place; undefined for what is no text, or empty. */
export function textAt({ params, query, body }: RawRequest, place: Place): string | undefined {
  const from: Readonly<Record<string, unknown>> = { path: params, query, body }[place.in];
  const text = Object.hasOwn(from, place.name) ? from[place.name] : undefined;
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The name of a place as the client spelled it. */
export function sentName({ body }: Exchange, place: Place): string {
  return place.in === "body" ? String(sentPath(body, [place.name])[0]) : place.name;
}

function differ(exchange: Exchange, { query, body }: EitherPlace): Problem[] {
  const sent = sentName(exchange, fromBody(body));
  return [
    { in: "query", path: query, problem: `differs from ${sent} of the body; name one project` },
    { in: "body", path: sent, problem: `differs from ${query} of the query; name one project` },
  ];
}
