import { createRequire } from "node:module";

export type OpenTelemetry = typeof import("@opentelemetry/api");

let loaded: OpenTelemetry | undefined;

/**
 * Absent where nobody collects traces: nothing of it is loaded then, and bundles do not hold it. It does nothing by itself:
 * who starts the program loads an SDK.
 */
export function openTelemetry(): OpenTelemetry | undefined {
  if (process.env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  loaded ??= createRequire(import.meta.url)("@opentelemetry/api") as OpenTelemetry;
  return loaded;
}

/** Makes the spans of this program. */
export function tracerOf({ trace }: OpenTelemetry) {
  return trace.getTracer("slipway");
}
