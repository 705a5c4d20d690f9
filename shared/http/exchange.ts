import type { Readable } from "node:stream";
import type middy from "@middy/core";
import type { Grants, TokenLimits } from "../access/identity/rules/grants.ts";
import type { Scope } from "../access/identity/rules/permission.ts";
import { aliasesOf, withCanonicalNames } from "../base/common/withAliases.ts";
import type { Key } from "../base/store/keys/keys.ts";
import type { Made } from "../base/store/madeOnce.ts";
import type { EnvironmentRecord } from "../environments/store/environments.ts";
import { isRecord } from "../manifest/schema/kubeObject.ts";
import type { Freeze } from "../projects/freezes/rules/freeze.ts";
import type { FreezeInWindow } from "../projects/freezes/rules/windows.ts";
import type { RawRequest, Route } from "./route.ts";

/** The part of API Gateway's REST proxy event that the pipeline reads; the local gateway sends the same. */
export interface ApiEvent {
  httpMethod: string;
  /** As the client sent it, still percent-encoded. */
  path: string;
  headers: Record<string, string | undefined> | null;
  multiValueQueryStringParameters: Record<string, string[] | undefined> | null;
  body: string | null;
  isBase64Encoded: boolean;
  /** Its path is the one of the address that was called: with the stage, or with what a custom domain puts before. */
  requestContext: { requestId?: string; path?: string; identity?: { sourceIp?: string } };
}

export interface ApiResponse {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  /** `body` holds bytes, as API Gateway takes them. */
  isBase64Encoded?: boolean;
  /** Follows `body`, which is then empty, for as long as it takes; a caller that has no use for it destroys it. */
  stream?: Readable;
}

/** What a gateway tells beside the event. */
export interface ApiContext {
  /** Ends when the client has left; only streams look at it. */
  signal?: AbortSignal;
}

/** Who calls. `grants` covers the project of the request; all projects where the permission is `filtered` or `anyRole`. */
export interface Caller {
  uid: string;
  account: string;
  name: string;
  identityType: string;
  grants: Grants;
  /** Unix seconds; of an API token that ends. */
  tokenEndsAt?: number;
}

/** The bearer of a valid token, before the grants are loaded. */
export interface Bearer {
  uid: string;
  kind: "api" | "login";
  tokenHash: string;
  limits?: TokenLimits;
  /** Of an API token, as the next two. */
  tokenId?: string;
  /** Unix seconds; absent: never. */
  endsAt?: number;
  /** Absent where the token was made before it carried its name. */
  tokenName?: string;
  /** Of a session: it is good for enrolling a second factor alone. */
  mustEnrol?: true;
}

/** What the middlewares of one request tell each other. */
export interface Exchange extends Record<string, unknown> {
  requestId: string;
  startedAt: number;
  sourceAddress: string;
  headers: Readonly<Record<string, string>>;
  route?: Route;
  routeId?: string;
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  bodyText: string;
  /** As they came in, for signatures over them. */
  bodyBytes?: Buffer;
  body: unknown;
  bearer?: Bearer;
  caller?: Caller;
  scope: Scope;
  /** Of the scope, where its kind decides the verb; absent when there is none. */
  environment?: EnvironmentRecord;
  /** As they were read with the grants, where the declaration meets them. */
  freezes?: readonly Freeze[];
  /** Why a freeze is to be overridden, as said by a caller who may override it. */
  overrideReason?: string;
  /** What would refuse the change that is previewed. */
  heldBy?: FreezeInWindow;
  /** Present from the moment the operation log is opened: Unix seconds. */
  logOpenedAt?: number;
  /** Of a mutation whose work has started: what closing the operation log closes. */
  pendingOperation?: Key;
  /** `made`: by an earlier try of the same request. */
  idempotency?: { hash: string; made?: Made | undefined; renewing: NodeJS.Timeout };
  input?: { params: unknown; query: unknown; body: unknown };
  responseHeaders: Record<string, string>;
}

export type ApiRequest = middy.Request<ApiEvent, ApiResponse, Error, object, Exchange>;
export type Middleware = middy.MiddlewareObj<ApiEvent, ApiResponse, Error, object, Exchange>;

/** The request as the words of an operation log need it, whatever could be read of it. */
export function rawRequest(exchange: Exchange): RawRequest {
  const query = Object.fromEntries(
    Object.entries(exchange.query).map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? "") : value]),
  );
  const body = withCanonicalNames(exchange.body, aliasesOf(exchange.route?.body));
  return { params: exchange.params, query, body: isRecord(body) ? body : {} };
}

const kept = Symbol("exchange");

/** Lets the innermost handler, which middy gives the event only, find the exchange of its request. */
export function recordExchange(event: ApiEvent & { [kept]?: Exchange }, exchange: Exchange): void {
  event[kept] = exchange;
}

export function exchangeOf(event: ApiEvent & { [kept]?: Exchange }): Exchange {
  const exchange = event[kept];
  if (exchange === undefined) throw new Error("the event did not pass the pipeline");
  return exchange;
}
