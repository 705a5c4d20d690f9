import type { Readable } from "node:stream";
import middy from "@middy/core";
import type * as z from "zod";
import { authenticateToken } from "../access/identity/session/authenticateToken.ts";
import { ApiError } from "../base/errors/apiError.ts";
import { whenNotBusy } from "../base/errors/busy.ts";
import { withCallBudget } from "../base/outbound/callBudget.ts";
import { nowSeconds } from "../base/store/ids.ts";
import { inRequest } from "../base/store/madeOnce.ts";
import { openTelemetry, tracerOf } from "../base/tracing/openTelemetry.ts";
import type { EnvironmentRecord } from "../environments/store/environments.ts";
import { frozen, mayOverride, overrideRefused } from "../projects/freezes/words.ts";
import {
  type ApiContext,
  type ApiEvent,
  type ApiResponse,
  type Caller,
  type Exchange,
  exchangeOf,
  type Middleware,
  rawRequest,
} from "./exchange.ts";
import { headersOf } from "./headersOf.ts";
import { authorize } from "./pipeline/authorize.ts";
import { decodeBody } from "./pipeline/decodeBody.ts";
import { findRoute } from "./pipeline/findRoute.ts";
import { idempotency, recordIdempotentAnswer, requestOf } from "./pipeline/idempotency.ts";
import { openExchange } from "./pipeline/openExchange.ts";
import { closeOperationLog, openOperationLog, recordMutation } from "./pipeline/operationLog.ts";
import { parseInput } from "./pipeline/parseInput.ts";
import { renderErrors } from "./pipeline/renderErrors.ts";
import { resolveScope } from "./pipeline/resolveScope.ts";
import { asksForPreview, type Previewed, previewReport, toPreviewReport } from "./preview.ts";
import { askedText, type Route, type Routes, type StreamRoute, type TextFormat } from "./route.ts";
import { createRouter } from "./router.ts";
import { fitsLambda, maxAnswerBytes } from "./stream/answerSize.ts";
import { cutAnswer, mayBeCut } from "./stream/cutAnswer.ts";

/** What a handler is given: everything was validated and permitted before it is called. */
export interface Input<R extends Route> {
  params: z.output<R["params"]>;
  query: z.output<R["query"]>;
  body: z.output<NonNullable<R["body"]>>;
  /** The body as it was decoded, with fields that its schema does not know. */
  sentBody: unknown;
  /** The body as it came in, for signatures over it. */
  bodyText: string;
  bodyBytes: Buffer;
  caller: Caller;
  /** As the decision saw it, where the environment's kind decides the verb; absent when there is none. */
  environment: EnvironmentRecord | undefined;
  /** Why a freeze is to be overridden: said by a caller who may override it. */
  overrideReason: string | undefined;
  requestId: string;
  sourceAddress: string;
  headers: Readonly<Record<string, string>>;
  tokenHash: string;
  /** The session of the caller; absent for an API token. */
  session: string | undefined;
  setHeader(name: string, value: string): void;
  /** Tells the operation log who it was where the pipeline cannot know: at a sign-in. */
  actAs(user: { uid: string; name: string }): void;
  /** For a GET whose operation log is written only when something changed. */
  leaveNoOperationLog(): void;
}

/** What the handler of a stream is given besides: a signal that ends when the client has left. */
export type StreamInput<R extends Route> = Input<R> & { signal: AbortSignal };
/** Answers what is sent, see `eventStream`; until then a refusal is an ordinary error. */
export type StreamHandler<R extends Route> = (input: StreamInput<R>) => Promise<Readable>;

export type Handler<R extends Route> = R extends StreamRoute
  ? StreamHandler<R>
  : (input: Input<R>) => Promise<z.input<R["response"]> | (R extends { textFormat: TextFormat } ? string : never)>;
export type Handlers<R extends Routes> = { [Id in keyof R]: Handler<R[Id]> };

/** What `dryRun=true` answers: required of every declaration that can be previewed. */
export type Previews<R extends Routes> = {
  [Id in keyof R as R[Id] extends { preview: true } ? Id : never]: (input: Input<R[Id]>) => Promise<Previewed>;
};

export type ApiHandler = (event: ApiEvent, context: ApiContext) => Promise<ApiResponse>;

/**
 * The Lambda function of one endpoint group: its declarations, each with its handler, behind the pipeline of
 * decisions 1. middy runs `after` and `onError` from the last registered to the first, so what must see the final
 * answer is registered first.
 */
export function createApi<R extends Routes>(
  routes: R,
  handlers: Handlers<R>,
  ...previews: keyof Previews<R> extends never ? [] : [Previews<R>]
): ApiHandler {
  const router = createRouter(routes);
  const api = middy<ApiEvent, ApiResponse, Error, object, Exchange>()
    .use(closeOperationLog())
    .use(recordIdempotentAnswer())
    .use(openExchange())
    .use(renderErrors())
    .use(limitAnswer())
    .use(findRoute(router))
    .use(authenticate())
    .use(openOperationLog())
    .use(decodeBody())
    .use(resolveScope())
    .use(authorize())
    .use(parseInput())
    .use(meetFreezes())
    .use(idempotency())
    .use(recordMutation())
    .handler((event, context) => answer(exchangeOf(event), context, handlers, previews[0] ?? {}));
  return (event, context) => inRequestSpan(event, () => api(event, context as never) as Promise<ApiResponse>);
}

/** What a cluster may cost a request that is answered within twenty seconds, with time left to clean up after it. */
const clusterSeconds = 15;

async function answer(
  internal: Exchange,
  context: ApiContext,
  handlers: Readonly<Record<string, unknown>>,
  previews: Readonly<Record<string, unknown>>,
): Promise<ApiResponse> {
  const { route, input, caller, bearer } = internal;
  const handler = handlers[internal.routeId ?? ""] as Handler<Route> | undefined;
  if (route === undefined || input === undefined || caller === undefined || handler === undefined)
    throw new Error("the pipeline is incomplete");
  const given: Input<Route> = {
    ...(input as Pick<Input<Route>, "params" | "query" | "body">),
    sentBody: internal.body,
    bodyText: internal.bodyText,
    bodyBytes: internal.bodyBytes ?? Buffer.alloc(0),
    caller,
    environment: internal.environment,
    overrideReason: internal.overrideReason,
    requestId: internal.requestId,
    sourceAddress: internal.sourceAddress,
    headers: internal.headers,
    tokenHash: bearer?.tokenHash ?? "",
    session: bearer?.kind === "login" ? bearer.tokenHash : undefined,
    setHeader: (name, value) => {
      internal.responseHeaders[name] = value;
    },
    actAs: (user) => {
      internal.caller = { ...caller, ...user };
    },
    leaveNoOperationLog: () => {
      delete internal.logOpenedAt;
    },
  };
  if (route.responseType === "events" || route.responseType === "stream")
    return follow(internal, { ...given, signal: context.signal ?? new AbortController().signal }, handler);
  return withCallBudget(clusterSeconds, async () => {
    if (asksForPreview(internal)) return preview(route, internal, given, previews[internal.routeId ?? ""]);
    const work = () => whenNotBusy(() => handler(given));
    return render(route, internal, await inRequest(requestOf(internal), work));
  });
}

async function follow(internal: Exchange, given: StreamInput<Route>, handler: unknown): Promise<ApiResponse> {
  if (typeof handler !== "function") throw new Error(`${internal.routeId} has no handler`);
  const stream: Readable = await handler(given);
  const type = internal.route?.responseType === "events" ? "text/event-stream" : "text/plain; charset=utf-8";
  const headers = { "content-type": type, "x-accel-buffering": "no", ...internal.responseHeaders };
  return { statusCode: 200, headers, body: "", stream };
}

async function preview(route: Route, internal: Exchange, given: Input<Route>, look: unknown): Promise<ApiResponse> {
  if (typeof look !== "function") throw new Error(`${internal.routeId} was declared with a preview and has none`);
  const previewed: Previewed = await look(given);
  return render({ ...route, response: previewReport }, internal, toPreviewReport(previewed, internal.heldBy));
}

/** Undeclared fields never leave; an answer that does not fit its declaration is our fault and says so. */
function render(route: Route, exchange: Exchange, result: unknown): ApiResponse {
  const text = askedText(route, exchange.query);
  if (text !== undefined) {
    const headers = { "content-type": `${text.mediaType}; charset=utf-8`, ...exchange.responseHeaders };
    return { statusCode: 200, headers, body: String(result) };
  }
  const checked = route.response.safeParse(result);
  if (!checked.success)
    throw new ApiError(500, `unexpected failure; the log tells more under request id ${exchange.requestId}`, {
      internal: `answer of ${route.method} ${route.path} does not fit its declaration: ${checked.error.message}`,
    });
  const data = route.openAnswer ? result : checked.data;
  const isJson = route.responseType === "json";
  return {
    statusCode: route.answerStatus ?? 200,
    headers: { "content-type": contentTypeOf(route), ...exchange.responseHeaders },
    body: isJson ? JSON.stringify(data) : String(data),
    ...(route.responseType === "gzip" && { isBase64Encoded: true }),
  };
}

function contentTypeOf({ responseType }: Route): string {
  if (responseType === "gzip") return "application/gzip";
  if (responseType === "text") return "text/plain; charset=utf-8";
  return `application/${responseType === "ndjson" ? "x-ndjson" : "json"}; charset=utf-8`;
}

/**
 * Answers a request within a span, a part of the caller's where it sent a `traceparent`. It has the declared path and no
 * names of its own. What streams ends it with its first byte. https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
function inRequestSpan(event: ApiEvent, answer: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const api = openTelemetry();
  if (api === undefined) return answer();
  const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const within = propagation.extract(ROOT_CONTEXT, headersOf(event));
  const span = tracerOf(api).startSpan(event.httpMethod, { kind: SpanKind.SERVER }, within);
  return context.with(trace.setSpan(within, span), async () => {
    try {
      const response = await answer();
      const { route, requestId } = exchangeOf(event);
      if (route !== undefined) span.updateName(`${route.method} ${route.path}`).setAttribute("http.route", route.path);
      span.setAttributes({
        "http.request.method": event.httpMethod,
        "http.response.status_code": response.statusCode,
        "slipway.request_id": requestId,
      });
      if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      return response;
    } finally {
      span.end();
    }
  });
}

/** Tells who bears the token: 401 with the reason (contract I 3.1, 3.5). Only streams and texts to subscribe to read it from the query, too. */
function authenticate(): Middleware {
  return {
    before: async ({ internal }) => {
      if (internal.route?.permission.kind === "public") return;
      internal.bearer = await authenticateToken(bearerToken(internal));
    },
  };
}

function bearerToken(exchange: Exchange): string {
  const { route, query } = exchange;
  const mayBeInQuery = route?.responseType === "events" || askedText(route, query) !== undefined;
  const inQuery = mayBeInQuery ? takeQueryToken(exchange) : "";
  if (inQuery !== "") return inQuery;
  const header = exchange.headers.authorization;
  if (header === undefined || header === "") throw new ApiError(401, "missing authorization header");
  const token = /^bearer ([^ ]+)$/i.exec(header)?.[1];
  if (token === undefined) throw new ApiError(401, "invalid token: token is malformed");
  return token;
}

/** Clients of event streams and of calendars cannot set headers. The token is taken out of the query: nothing else may see it. */
function takeQueryToken({ query }: Exchange): string {
  const { token = "" } = query;
  delete query.token;
  if (typeof token !== "string") throw new ApiError(401, "invalid token: token is malformed");
  return token;
}

/**
 * The last guard before an answer that Lambda would not take, which API Gateway turns into a 502: 413 says what to do.
 * A list that grows with what is stored is cut instead, and says so.
 */
function limitAnswer(): Middleware {
  return {
    after: (request) => {
      const { event, response, internal } = request;
      if (response == null || response.stream !== undefined || fitsLambda(response)) return;
      const { route, query } = internal;
      const isCut = route !== undefined && askedText(route, query) === undefined && mayBeCut(route);
      const cut = isCut ? cutAnswer(route, response) : undefined;
      if (cut !== undefined) {
        request.response = cut;
        return;
      }
      const done = event.httpMethod === "GET" ? "" : "the call was carried out, but ";
      throw new ApiError(
        413,
        `${done}the answer is larger than one answer carries (${maxAnswerBytes} bytes); ask for less: a page, one name, or a narrower filter`,
      );
    },
  };
}

/**
 * Refuses a change of production while a freeze holds for it, unless a caller who may override it says why it cannot
 * wait. A preview reports the freeze. Runs before keys of idempotency, so that the same request can be sent again when
 * the freeze has ended.
 * @throws ApiError 409 naming the freeze; 403 for a reason of a caller who may not override
 */
function meetFreezes(): Middleware {
  return {
    before: ({ internal }) => {
      const { route, scope, query, caller, environment } = internal;
      if (route?.freeze === undefined || (environment ?? scope).production === false) return;
      const reason = query.override_reason;
      if (typeof reason === "string") {
        internal.overrideReason = reason;
        if (route.freeze === "handler") return;
        const projectKey = scope.projectKey ?? "";
        if (caller !== undefined && mayOverride(caller.grants, projectKey)) return;
        throw overrideRefused(projectKey);
      }
      if (typeof route.freeze === "string") return;
      const place = { projectKey: scope.projectKey ?? "", envKey: environmentOf(internal) };
      const held = route.freeze(internal.freezes ?? [], place, nowSeconds());
      if (held === undefined) return;
      if (!asksForPreview(internal)) throw frozen(held);
      internal.heldBy = held;
    },
  };
}

/** One that is about to be made is no scope yet, but the words of its operation log name it. */
function environmentOf(exchange: Exchange): string | undefined {
  return exchange.scope.environment ?? exchange.route?.audit?.targets?.(rawRequest(exchange))[0];
}
