import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider, RandomIdGenerator } from "@opentelemetry/sdk-trace-node";
import { giveSpanIds } from "../../../shared/base/tracing/spanIds.ts";

/**
 * Sends spans to the collector that the variables of OpenTelemetry name (`OTEL_EXPORTER_OTLP_…`, `OTEL_SERVICE_NAME`,
 * `OTEL_TRACES_SAMPLER`, …), as JSON over HTTP. @returns what sends the last ones
 */
export function startTracing(): () => Promise<void> {
  const random = new RandomIdGenerator();
  const chosen = giveSpanIds();
  const own = resourceFromAttributes({ "service.name": "slipway" });
  const provider = new NodeTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    idGenerator: {
      generateTraceId: () => random.generateTraceId(),
      generateSpanId: () => chosen() ?? random.generateSpanId(),
    },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  // A collector that is not there keeps nothing from ending.
  return () => provider.shutdown().catch(() => undefined);
}
