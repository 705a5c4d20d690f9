import type { FigureId, LabelsOf } from "./figures.ts";

/** One measurement: added to a counter, put into a histogram, or what a gauge stands at from now on. */
export interface Noted {
  id: FigureId;
  labels: Readonly<Record<string, string>>;
  /** Absent: there is nothing any more that a gauge could tell of. */
  value: number | undefined;
}

/** Told of every measurement of this process. */
const listeners = new Set<(noted: Noted) => void>();

/** Measures something. Where nobody listens, nothing happens. */
export function noteFigure<Id extends FigureId>(id: Id, labels: LabelsOf<Id>, value: number | undefined): void {
  passOn({ id, labels, value });
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
