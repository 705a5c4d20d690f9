/** One event of an execution's history, reduced: names and errors, no inputs and outputs. `timestamp` in Unix seconds. */
export type HistoryEvent = {
  id: number;
  previousEventId: number;
  timestamp: number;
  type: string;
  stateEnteredEventDetails?: { name: string };
  stateExitedEventDetails?: { name: string };
  executionSucceededEventDetails?: Reason;
  executionFailedEventDetails?: Reason;
  executionTimedOutEventDetails?: Reason;
  executionAbortedEventDetails?: Reason;
};

type Reason = { error?: string | undefined; cause?: string | undefined };
type Details = Omit<HistoryEvent, "id" | "previousEventId" | "timestamp" | "type">;

/** Step Functions ends an execution that reaches this number. */
export const maxEvents = 25_000;

/** The growing history of one run. */
export class History {
  readonly events: HistoryEvent[] = [];

  add(type: string, details: Details = {}): void {
    this.events.push(this.#next(type, details));
  }

  /** The events so far and one more. */
  with(type: string, details: Details): HistoryEvent[] {
    return [...this.events, this.#next(type, details)];
  }

  #next(type: string, details: Details): HistoryEvent {
    const id = this.events.length + 1;
    return { id, previousEventId: id - 1, timestamp: Date.now() / 1000, type, ...details };
  }
}
