import { config } from "../settings/config.ts";
import { log } from "../settings/log.ts";
import { type Figure, type FigureId, figures, type LabelsOf, type Metric } from "./figures.ts";

/** Sums that wait for the next line, by the figure. */
const riding = new Map<FigureId, number>();

/** Whether lines of the log carry metrics. */
export function areFiguresEmbedded(): boolean {
  return config().SLIPWAY_METRICS_INSTALLATION !== undefined;
}

/** Measures in a line of the log what CloudWatch is to show; where it shows nothing, there is no line. */
export function embedFigure<Id extends FigureId>(id: Id, labels: LabelsOf<Id>, value: number): void {
  if (!areFiguresEmbedded()) return;
  const { metric }: Figure = figures[id];
  if (metric?.rides === true) riding.set(id, (riding.get(id) ?? 0) + value);
  else if (metric !== undefined && nameOf(metric, labels) !== undefined)
    log.info("measured", { ...labels, ...embedded(id, labels, value) });
}

/**
 * Members that a line of the log measures something with, and what waited for one; none where nothing is embedded.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embedded<Id extends FigureId>(id: Id, labels: LabelsOf<Id>, value: number): Record<string, unknown> {
  const { SLIPWAY_METRICS_INSTALLATION: installation } = config();
  if (installation === undefined) return {};
  const all = [{ id, labels, value }, ...[...riding].map(([id, value]) => ({ id, labels: {}, value }))];
  riding.clear();
  const metrics = all.flatMap(({ id, labels, value }) => {
    const { metric }: Figure = figures[id];
    const name = metric && nameOf(metric, labels);
    return metric === undefined || name === undefined ? [] : [{ name, unit: metric.unit, value }];
  });
  return {
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: "Slipway",
          Dimensions: [["Installation"]],
          Metrics: metrics.map(({ name, unit }) => ({ Name: name, Unit: unit })),
        },
      ],
    },
    Installation: installation,
    ...Object.fromEntries(metrics.map(({ name, value }) => [name, value])),
  };
}

function nameOf({ name }: Metric, labels: Readonly<Record<string, string>>): string | undefined {
  return typeof name === "string" ? name : name.names[labels[name.label] ?? ""];
}
