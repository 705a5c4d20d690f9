import { openTelemetry, tracerOf } from "../tracing/openTelemetry.ts";
import { type ApiEvent, type ApiResponse, exchangeOf } from "./exchange.ts";
import { headersOf } from "./headersOf.ts";

/**
 * Answers a request within a span, a part of the caller's where it sent a `traceparent`. It has the declared path and no
 * names of its own. What streams ends it with its first byte. https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function inRequestSpan(event: ApiEvent, answer: () => Promise<ApiResponse>): Promise<ApiResponse> {
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
