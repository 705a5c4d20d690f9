import { openTelemetry, tracerOf } from "./openTelemetry.ts";

/**
 * The span that is open here as W3C `traceparent`, for what continues elsewhere and later; where none is, one of that
 * name is its beginning. Undefined where traces are not collected.
 */
export function traceparentHere(name: string): string | undefined {
  const api = openTelemetry();
  if (api === undefined) return undefined;
  const here = api.context.active();
  const isOpen = api.trace.getSpan(here) !== undefined;
  const span = isOpen ? undefined : tracerOf(api).startSpan(name, {}, here);
  const carrier: { traceparent?: string } = {};
  api.propagation.inject(span === undefined ? here : api.trace.setSpan(here, span), carrier);
  span?.end();
  return carrier.traceparent;
}

/** The same trace, with another span. @param spanId 16 hex characters */
export function withParent(traceparent: string, spanId: string): string {
  const [version, traceId, , flags] = traceparent.split("-");
  return [version, traceId, spanId, flags].join("-");
}
