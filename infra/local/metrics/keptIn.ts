import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { type Figure, type FigureId, figures } from "../../../shared/base/metrics/figures.ts";
import type { Noted } from "../../../shared/base/metrics/recordMetric.ts";

/** A gauge with labels is updated more often than this: an older value is of a thread that was ended. */
const freshMilliseconds = 15_000;

type Keep = (labels: Noted["labels"], value: number | undefined) => void;

/** Registers everything that is measured when it happens. @returns what takes the measurements in */
export function keptIn(register: Registry): (noted: Noted) => void {
  const { openTasks: _tasks, openWork: _work, ...happening } = figures;
  const kept = new Map(
    Object.entries(happening).map(([id, figure]): [string, Keep] => [id, makers[figure.kind](figure, register)]),
  );
  return ({ id, labels, value }: Noted & { id: FigureId }) => kept.get(id)?.(labels, value);
}

const makers: Readonly<Record<Figure["kind"], (figure: Figure, register: Registry) => Keep>> = {
  counter: (figure, register) => {
    const counter = new Counter(configured(figure, register));
    return (labels, value) => counter.inc(labels, value);
  },
  histogram: (figure, register) => {
    const histogram = new Histogram({ ...configured(figure, register), buckets: [...(figure.buckets ?? [])] });
    return (labels, value) => value !== undefined && histogram.observe(labels, value);
  },
  gauge: (figure, register) => {
    if (figure.labels.length === 0) {
      const gauge = new Gauge(configured(figure, register));
      return (labels, value) => gauge.set(labels, value ?? 0);
    }
    const now = new Map<string, { labels: Noted["labels"]; value: number; until: number }>();
    new Gauge({
      ...configured(figure, register),
      collect() {
        this.reset();
        for (const { labels, value, until } of now.values()) if (Date.now() < until) this.set(labels, value);
      },
    });
    return (labels, value) => {
      const key = JSON.stringify(labels);
      if (value === undefined) now.delete(key);
      else now.set(key, { labels, value, until: Date.now() + freshMilliseconds });
    };
  },
};

/** As the library takes it. */
export function configured({ name, help, labels }: Figure, register: Registry) {
  return { name, help, labelNames: [...labels], registers: [register] };
}
