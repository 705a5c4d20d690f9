import { areFiguresEmbedded, embedFigure } from "./embedFigure.ts";
import type { FigureId, LabelsOf } from "./figures.ts";

/** One measurement: added to a counter, put into a histogram, or the value of a gauge from now on. */
export interface Noted {
  id: FigureId;
  labels: Readonly<Record<string, string>>;
  /** Absent: there is no longer anything that a gauge could report. */
  value: number | undefined;
}

/** Told of every measurement of this process. */
const listeners = new Set<(noted: Noted) => void>();

/** Whether a measurement that is told now would get anywhere. */
export function areFiguresHeard(): boolean {
  return listeners.size > 0 || areFiguresEmbedded();
}

/** Measures something, for who listens and in the log where that carries metrics. Where neither is, nothing happens. */
export function recordMetric<Id extends FigureId>(id: Id, labels: LabelsOf<Id>, value: number | undefined): void {
  passOn({ id, labels, value });
  if (value !== undefined) embedFigure(id, labels, value);
}

/** Tells a measurement of another thread. */
export function passOn(noted: Noted): void {
  for (const listener of listeners) listener(noted);
}

/** Hears of every measurement. @returns what ends it */
export function onFigure(listener: (noted: Noted) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
