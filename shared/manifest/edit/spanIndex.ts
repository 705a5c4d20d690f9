/** A range of rendered text that came from a variable. */
export interface VariableSpan {
  start: number;
  end: number;
  variable: string;
}

/** Spans in order, for asking which of them a range of text touches. Empty spans are left out. */
export class SpanIndex {
  static readonly NONE = new SpanIndex([]);
  readonly list: readonly VariableSpan[];
  /** The furthest end of the spans up to each position. */
  readonly #furthest: number[] = [];

  constructor(spans: readonly VariableSpan[]) {
    this.list = spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
    let end = 0;
    for (const span of this.list) {
      end = Math.max(end, span.end);
      this.#furthest.push(end);
    }
  }

  get isEmpty(): boolean {
    return this.list.length === 0;
  }

  /** The variables whose spans share a character with a range. */
  touching(start: number, end: number): string[] {
    const names = new Set<string>();
    for (let at = this.#before(end) - 1; at >= 0 && (this.#furthest[at] ?? 0) > start; at--) {
      const span = this.list[at];
      if (span && span.end > start) names.add(span.variable);
    }
    return [...names].reverse();
  }

  /** The spans inside a range, counted from its start; spans that go over its edge are cut. */
  within(start: number, end: number): SpanIndex {
    const spans: VariableSpan[] = [];
    for (let at = this.#before(end) - 1; at >= 0 && (this.#furthest[at] ?? 0) > start; at--) {
      const span = this.list[at];
      if (!span || span.end <= start) continue;
      spans.push({
        start: Math.max(span.start, start) - start,
        end: Math.min(span.end, end) - start,
        variable: span.variable,
      });
    }
    return new SpanIndex(spans);
  }

  /** How many spans begin before an offset. */
  #before(offset: number): number {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.list[middle]?.start ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
