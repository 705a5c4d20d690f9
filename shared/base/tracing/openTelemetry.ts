import { createRequire } from "node:module";

export type OpenTelemetry = typeof import("@opentelemetry/api");

/** `false`: traces are not collected, or it is not there. */
let loaded: OpenTelemetry | false | undefined;

/**
 * Absent where traces are not collected: nothing of it is loaded then, and bundles do not hold it. It does nothing by
 * itself: an SDK is loaded where the program is started. A function in AWS has it where a layer brings it, and no
 * traces where none does.
 */
export function openTelemetry(): OpenTelemetry | undefined {
  loaded ??= process.env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && load();
  return loaded || undefined;
}

function load(): OpenTelemetry | false {
  try {
    return createRequire(import.meta.url)("@opentelemetry/api") as OpenTelemetry;
  } catch {
    return false;
  }
}

/** Makes the spans of this program. */
export function tracerOf({ trace }: OpenTelemetry) {
  return trace.getTracer("slipway");
}
