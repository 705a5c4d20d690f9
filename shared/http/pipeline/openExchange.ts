import { randomUUID } from "node:crypto";
import { embedded } from "../../base/metrics/embedFigure.ts";
import { log } from "../../base/settings/log.ts";
import { type Exchange, type Middleware, recordExchange } from "../exchange.ts";
import { headersOf } from "../headersOf.ts";

/** Gives every request its id and every answer its `X-Request-Id`; writes one log line a request. */
export function openExchange(): Middleware {
  return {
    before: (request) => {
      const { event, internal } = request;
      const requestId = event.requestContext.requestId ?? randomUUID();
      const opened: Exchange = {
        requestId,
        startedAt: performance.now(),
        sourceAddress: event.requestContext.identity?.sourceIp ?? "",
        headers: headersOf(event),
        params: {},
        query: queryOf(event.multiValueQueryStringParameters ?? {}),
        bodyText: "",
        body: undefined,
        scope: {},
        responseHeaders: {
          "x-request-id": requestId,
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      };
      recordExchange(event, Object.assign(internal, opened));
    },
    after: (request) => writeLine(request.internal, request.response?.statusCode),
    onError: (request) => writeLine(request.internal, request.response?.statusCode),
  };
}

function writeLine(exchange: Exchange, status: number | undefined): void {
  const milliseconds = performance.now() - exchange.startedAt;
  const { method = "other", path: route = "other" } = exchange.route ?? {};
  log.info("request", {
    requestId: exchange.requestId,
    method: exchange.route?.method,
    route: exchange.route?.path,
    status,
    uid: exchange.bearer?.uid,
    milliseconds: Math.round(milliseconds),
    // The gateway of one machine counts requests itself, those among them that reach no group.
    ...embedded("requests", { method, route, status: String(status) }, milliseconds / 1000),
  });
}

/** A name given once is a text, given several times a list. */
function queryOf(parameters: Record<string, string[] | undefined>): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null);
  for (const [name, values] of Object.entries(parameters)) {
    if (values?.length === 1) query[name] = values[0] ?? "";
    else if (values !== undefined && values.length > 1) query[name] = values;
  }
  return query;
}
