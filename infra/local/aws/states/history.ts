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
    const id = this.events.length + 1;
    this.events.push({ id, previousEventId: id - 1, timestamp: Date.now() / 1000, type, ...details });
  }
}
