import * as z from "zod";
import type { OperationFunction } from "../access/audit/rules/functions.ts";
import type { Permission } from "../access/identity/rules/permission.ts";
import { type Aliases, aliasesOf } from "../base/common/withAliases.ts";
import type { freezeAt } from "../projects/freezes/rules/windows.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Where a request says which project, environment or workflow it means; aliases are those of the query and the body. */
export interface Place {
  in: "path" | "query" | "body";
  name: string;
}

/** Places of the scope that the permission is checked in. A declared place that is absent from a request is 400. */
export interface ScopeDeclaration {
  /** Several: the first that the request fills. */
  project?: Place | readonly Place[];
  /** The request names the workflow alone, whose project it is then. */
  projectOf?: "workflow";
  environment?: Place | readonly Place[];
  /** Where one path makes things of either kind: true there means production, anything else does not. */
  production?: Place;
  /** Decides where collaboration modes do, and where the project is that of the workflow. */
  workflow?: Place;
}

/** The request as far as it could be read, with canonical names: what the words of an operation log are made of. */
export interface RawRequest {
  params: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
}

/** Words of the operation log (contract I 14). */
export interface Audit {
  method: string;
  /** Where the request says what is done; `method` names all possibilities, and is used for what is none of them. */
  methodOf?: (request: RawRequest) => string | undefined;
  function: OperationFunction;
  /** Where the scope says that it is about production. */
  productionFunction?: OperationFunction;
  scene?: "environment" | "project";
  detail: (request: RawRequest) => string;
  targets?: (request: RawRequest) => string[];
  /** Project of the record; the declared scope's project unless given. */
  project?: (request: RawRequest) => string;
  /** What is kept of the body: `none` stores an empty one. */
  body: "json" | "yaml" | "none";
  /** Kept instead of the body, where the contract wants something else. */
  kept?: (request: RawRequest) => unknown;
}

/**
 * Where a change meets freezes of production: by what is given the pipeline refuses it while a freeze holds for the
 * environment of the scope, or for the target of its words, unless that is a test environment; `use-case` finds out itself
 * what it is about; so does `handler`, which also says who may override, because its record names the project. All take
 * `override_reason`. Given and not imported, because the calendar of freezes weighs a tenth of a group that has none.
 */
export type FreezeMet = typeof freezeAt | "use-case" | "handler";

/** `events`: lines as they come to be, as server-sent events; `stream`: text of any length; `ndjson`: one JSON object a line; `gzip`: bytes, which the handler answers as base64. */
export type ResponseType = "json" | "text" | "ndjson" | "gzip" | "events" | "stream";

/**
 * A text that the answer is instead where `format` in the query names it. Programs that fetch it by themselves cannot set
 * headers, so the token may be in the query, as in that of a stream.
 */
export interface TextFormat {
  name: string;
  mediaType: string;
}

/** Reads a body that is not JSON, of the media type beside it: a text, or bytes that begin with `magic`. */
export type BodyReader =
  | { mediaType: string; read(text: string): unknown; magic?: undefined }
  | { mediaType: string; read(bytes: Buffer): unknown; magic: string };

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
  queryAliases?: Aliases;
  body?: B;
  /** The body may be other text than JSON. @throws ApiError 400 saying what is wrong with it */
  readBody?: BodyReader;
  /** Which form of the body the query asks for, where there are several; `body` is their union. */
  bodyFor?: (query: Readonly<Record<string, string>>) => z.ZodType;
  response: R;
  /** 202: it is taken in, and what follows comes later; 200 unless given. */
  answerStatus?: 202;
  /** `text` and `ndjson` send the string as it is (contract I 1.5); `events` is for `defineStream`. */
  responseType?: ResponseType;
  /** The answer holds a secret: it is never kept for a replay. */
  secretAnswer?: true;
  /** Fields of the answer are the caller's own, whatever they are named: it is checked and sent as it is. */
  openAnswer?: true;
  /** Name of the list in the answer that is cut when it would make it too large; an answer that is a list is itself. */
  cutAt?: string;
  /** Its list has pages and is given whole, and cut, to who names none. */
  wholeToo?: true;
  freeze?: FreezeMet | undefined;
  /** A session that lacks a second factor it has to have may do this. */
  enrols?: true;
  /** Error statuses beyond those that every operation documents. */
  errorStatuses?: readonly number[];
  /** Of the older API: errors have its two keys as well, and a refused caller gets its 401 (contract I 10.1). */
  legacyErrors?: true;
}

type Audited =
  | { method: "GET"; audit?: Audit }
  | { method: Exclude<Method, "GET">; audit: Audit }
  /** Reads although it is a POST, because what is asked for does not fit a query. */
  | { method: "POST"; reads: true };

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
  queryAliases: Aliases;
  body: B | undefined;
  readBody?: BodyReader;
  bodyFor?: (query: Readonly<Record<string, string>>) => z.ZodType;
  response: R;
  answerStatus?: 202;
  responseType: ResponseType;
  errorStatuses: readonly number[];
  secretAnswer?: true;
  openAnswer?: true;
  cutAt?: string;
  wholeToo?: true;
  enrols?: true;
  legacyErrors?: true;
  freeze?: FreezeMet | undefined;
  reads?: true;
  textFormat?: TextFormat;
  /** `dryRun=true` answers what would be, and nothing is written. */
  preview?: true;
  audit: Audit | undefined;
}

const nothing = z.object({});
type Nothing = typeof nothing;

/** Declares one endpoint; everything that is known of an endpoint comes from here. */
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
    body: undefined,
    audit: undefined,
    ...definition,
    params: definition.params ?? (nothing as unknown as P),
    query: definition.query ?? (nothing as unknown as Q),
  };
}

/** A route whose answer goes out while it comes to be: a log. Where it is followed, the token may be in the query. */
export interface StreamRoute<P extends z.ZodType = z.ZodType, Q extends z.ZodType = z.ZodType>
  extends Route<P, Q, z.ZodUndefined, z.ZodString> {
  responseType: "events" | "stream";
}

type StreamDefinition<P, Q> = Omit<RouteDefinition<P, Q, z.ZodUndefined, z.ZodString>, "method" | "audit" | "response">;

const eventPerLine = "One event a line: `id:<time>.<n>`, `event:message` and `data:<line>`";

/**
 * Declares an endpoint that streams lines as server-sent events (decisions 7.9).
 * @param told what an event says, for the API document
 */
export function defineStream<P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  definition: StreamDefinition<P, Q>,
  told = eventPerLine,
): StreamRoute<P, Q> {
  const description = `${told}; at most one \`event:error\`, the last. A stream that ends with \`retry:\` goes on from the header \`Last-Event-ID\``;
  const response = z.string().meta({ description });
  return {
    ...defineRoute<P, Q, z.ZodUndefined, z.ZodString>({ errorStatuses: [429], ...definition, method: "GET", response }),
    responseType: "events",
  };
}

/** Declares an endpoint whose text is sent as it is read, however long it is (decisions 7.9). */
export function defineTextStream<P extends z.ZodObject = Nothing, Q extends z.ZodObject = Nothing>(
  definition: StreamDefinition<P, Q>,
): StreamRoute<P, Q> {
  return {
    ...defineRoute<P, Q, z.ZodUndefined, z.ZodString>({ ...definition, method: "GET", response: z.string() }),
    responseType: "stream",
  };
}

/** Declares that an answer can be had as a text as well; its handler then answers a string for it. */
export function alsoAsText<R extends Route>(route: R, textFormat: TextFormat): R & { textFormat: TextFormat } {
  return { ...route, textFormat };
}

/** The text that the request asks for instead of JSON, when it does. */
export function askedText(
  route: Pick<Route, "textFormat"> | undefined,
  query: Readonly<Record<string, unknown>>,
): TextFormat | undefined {
  return query.format === route?.textFormat?.name ? route?.textFormat : undefined;
}

/** Whether a request of this declaration may change something: a GET with an operation log does. */
export function mutates({ method, reads, audit }: Pick<Route, "method" | "reads" | "audit">): boolean {
  return reads !== true && (method !== "GET" || audit !== undefined);
}

export type Routes = Readonly<Record<string, Route>>;

export const fromQuery = (name: string): Place => ({ in: "query", name });
export const fromBody = (name: string): Place => ({ in: "body", name });
export const fromPath = (name: string): Place => ({ in: "path", name });

/** Every name that a declaration reads at a place, the canonical one first. */
export function spellingsAt({ queryAliases, body }: Pick<Route, "queryAliases" | "body">, place: Place): string[] {
  const aliases = { path: {}, query: queryAliases, body: aliasesOf(body) }[place.in] as Aliases;
  return [place.name, ...(aliases[place.name] ?? [])];
}
