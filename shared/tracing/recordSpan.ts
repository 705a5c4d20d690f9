import type { Attributes } from "@opentelemetry/api";
import { openTelemetry, tracerOf } from "./openTelemetry.ts";
import { withSpanId } from "./spanIds.ts";

/** Something that has ended. */
export interface PastSpan {
  name: string;
  /** `traceparent` of what it is a part of. */
  parent: string;
  /** Chosen where others are a part of it and were told before: 16 hex characters. */
  id?: string | undefined;
  /** Unix seconds. */
  startTime: number;
  endTime: number;
  attributes: Attributes;
  /** In one word why it counts as failed. */
  failure?: string | undefined;
}

/** Records something that has ended, wherever and whenever it began. Nothing where traces are not collected. */
export function recordSpan({ name, parent, id, startTime, endTime, attributes, failure }: PastSpan): void {
  const api = openTelemetry();
  if (api === undefined) return;
  const { propagation, ROOT_CONTEXT, SpanStatusCode } = api;
  const within = propagation.extract(ROOT_CONTEXT, { traceparent: parent });
  const options = { startTime: new Date(startTime * 1000), attributes };
  const span = withSpanId(id, () => tracerOf(api).startSpan(name, options, within));
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end(new Date(endTime * 1000));
}
