import type { Problem } from "../errors/apiError.ts";
import { isRecord } from "../manifest/kubeObject.ts";
import { type Exchange, rawRequest } from "./exchange.ts";
import type { Place, Route } from "./route.ts";

type Names = Place["names"];

/** Where a request may name its project: the declared place first, the other one stands in for it. */
export interface EitherPlace {
  declared: "query" | "body";
  query: Names;
  body: Names;
}

/**
 * Query and body stand for each other where a declaration asks either of them for the project and there is a body;
 * undefined for all other declarations.
 */
export function eitherPlace({ scope, body }: Pick<Route, "scope" | "body">): EitherPlace | undefined {
  const [place] = [scope.project ?? []].flat();
  if (place === undefined || place.in === "path" || body === undefined) return undefined;
  const names = { query: ["projectKey"], body: ["project_key"] } as const satisfies Record<string, Names>;
  return { ...names, [place.in]: place.names, declared: place.in };
}

/** Takes the project from the other place where the declared one leaves it out; both given and different is a problem. */
export function fillProject(exchange: Exchange, either: EitherPlace): Problem[] {
  const raw = rawRequest(exchange);
  const inQuery = firstText(raw.query, either.query);
  const inBody = firstText(raw.body, either.body);
  if (inQuery !== undefined && inBody !== undefined) return inQuery.text === inBody.text ? [] : differ(inQuery, inBody);
  const [name] = either[either.declared];
  if (either.declared === "query" && inBody !== undefined) exchange.query = { ...exchange.query, [name]: inBody.text };
  if (either.declared === "body" && inQuery !== undefined && isRecord(exchange.body))
    exchange.body = { ...exchange.body, [name]: inQuery.text };
  return [];
}

interface Named {
  name: string;
  text: string;
}

function firstText(from: Readonly<Record<string, unknown>>, names: Names): Named | undefined {
  for (const name of names) {
    const text = Object.hasOwn(from, name) ? from[name] : undefined;
    if (typeof text === "string" && text !== "") return { name, text };
  }
  return undefined;
}

function differ(query: Named, body: Named): Problem[] {
  return [
    { in: "query", path: query.name, problem: `differs from ${body.name} of the body; name one project` },
    { in: "body", path: body.name, problem: `differs from ${query.name} of the query; name one project` },
  ];
}
