import * as z from "zod";
import type { Permission } from "../domain/identity/permission.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Where a request says which project or environment it means; the first name is canonical, the others are aliases. */
export interface Place {
  in: "path" | "query" | "body";
  names: readonly [string, ...string[]];
}

/** Places of the scope that the permission is checked in. A declared place that is absent from a request is 400. */
export interface ScopeDeclaration {
  project?: Place;
  /** Several: the first that the request fills. */
  environment?: Place | readonly Place[];
}

/** The request as far as it could be read: what the words of an operation log are made of. */
export interface RawRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
}

/** Words of the operation log (contract I 14). */
export interface Audit {
  method: string;
  function: string;
  scene?: "environment" | "project";
  detail: (request: RawRequest) => string;
  targets?: (request: RawRequest) => string[];
  /** Project of the record; the declared scope's project unless given. */
  project?: (request: RawRequest) => string;
  /** What is kept of the body: `none` stores an empty one. */
  body: "json" | "yaml" | "none";
}

interface Common<P, Q, B, R> {
  path: `/${string}`;
  summary: string;
  /** Heading in the OpenAPI document. */
  tag: string;
  permission: Permission;
  scope?: ScopeDeclaration;
  params?: P;
  query?: Q;
  /** Spellings accepted beside the canonical query names: canonical → aliases. */
  queryAliases?: Readonly<Record<string, readonly string[]>>;
  body?: B;
  response: R;
  /** `text` sends the string as it is (contract I 1.5). */
  responseType?: "json" | "text";
  /** The answer holds a secret: it is never kept for a replay. */
  secretAnswer?: true;
  /** Error statuses beyond those that every operation documents. */
  errorStatuses?: readonly number[];
  /** The answer holds a token: it is never kept for a replay. */
  answersSecret?: boolean;
}

type Audited = { method: "GET"; audit?: Audit } | { method: Exclude<Method, "GET">; audit: Audit };

export type RouteDefinition<P, Q, B, R> = Common<P, Q, B, R> & Audited;

export interface Route<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  method: Method;
  path: `/${string}`;
  summary: string;
  tag: string;
  permission: Permission;
  scope: ScopeDeclaration;
  params: P;
  query: Q;
  queryAliases: Readonly<Record<string, readonly string[]>>;
  body: B | undefined;
  response: R;
  responseType: "json" | "text";
  errorStatuses: readonly number[];
  secretAnswer?: true;
  audit: Audit | undefined;
}

const nothing = z.object({});
type Nothing = typeof nothing;

/** Declares one endpoint; everything that is known of an endpoint comes from here (design 3). */
export function defineRoute<
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodType,
>(definition: RouteDefinition<P, Q, B, R>): Route<P, Q, B, R> {
  return {
    scope: {},
    queryAliases: {},
    responseType: "json",
    errorStatuses: [],
    answersSecret: false,
    body: undefined,
    audit: undefined,
    ...definition,
    params: definition.params ?? (nothing as unknown as P),
    query: definition.query ?? (nothing as unknown as Q),
  };
}

export type Routes = Readonly<Record<string, Route>>;

export const fromQuery = (...names: [string, ...string[]]): Place => ({ in: "query", names });
export const fromBody = (...names: [string, ...string[]]): Place => ({ in: "body", names });
export const fromPath = (...names: [string, ...string[]]): Place => ({ in: "path", names });
