import type { DatabaseSync } from "node:sqlite";
import type { HistoryEvent } from "./history.ts";

const EXECUTION_STATUSES = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"] as const;

export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** One execution as stored. `input` and `output` are JSON text, times are Unix milliseconds. */
export type Execution = {
  machine: string;
  name: string;
  input: string;
  status: ExecutionStatus;
  startMs: number;
  stopMs: number | undefined;
  output: string | undefined;
  error: string | undefined;
  cause: string | undefined;
  statesEntered: number;
};

export type ExecutionEnd = {
  status: Exclude<ExecutionStatus, "RUNNING">;
  output?: string | undefined;
  error?: string | undefined;
  cause?: string | undefined;
};

export type ExecutionStore = ReturnType<typeof createExecutionStore>;

const COLUMNS = "machine, name, input, status, start_ms, stop_ms, output, error, cause, states_entered";
const NAME_KEPT_MILLISECONDS = 90 * 24 * 60 * 60 * 1000;

/** The executions on disk. Every write is there before the method returns. */
export function createExecutionStore(database: DatabaseSync) {
  const get = database.prepare(`SELECT ${COLUMNS} FROM executions WHERE machine = ? AND name = ?`);
  const insert = database.prepare(
    "INSERT INTO executions (machine, name, input, status, start_ms) VALUES (?, ?, ?, 'RUNNING', ?)",
  );
  const close = database.prepare(`UPDATE executions SET status = ?, stop_ms = ?, output = ?, error = ?, cause = ?,
    states_entered = ?, history = ? WHERE machine = ? AND name = ? AND status = 'RUNNING'`);
  const running = database.prepare(`SELECT ${COLUMNS} FROM executions WHERE status = 'RUNNING' ORDER BY start_ms`);
  const list = database.prepare(`SELECT ${COLUMNS} FROM executions WHERE machine = ? AND (? = '' OR status = ?)
    ORDER BY start_ms DESC, name`);
  const history = database.prepare("SELECT history FROM executions WHERE machine = ? AND name = ?");
  const forget = database.prepare("DELETE FROM executions WHERE stop_ms < ?");

  return {
    get(machine: string, name: string): Execution | undefined {
      const row = get.get(machine, name);
      return row && toExecution(row);
    },
    /** The name must be free. */
    add(machine: string, name: string, input: string, startMs: number): void {
      insert.run(machine, name, input, startMs);
    },
    /** Ends a running execution; false when it had ended already. */
    close(machine: string, name: string, end: ExecutionEnd, stopMs: number, events: HistoryEvent[]): boolean {
      const entered = events.filter((event) => event.type.endsWith("StateEntered")).length;
      const { status, output = null, error = null, cause = null } = end;
      const text = JSON.stringify(events);
      return close.run(status, stopMs, output, error, cause, entered, text, machine, name).changes === 1;
    },
    running: (): Execution[] => running.all().map(toExecution),
    /** Newest first. */
    list(machine: string, status: ExecutionStatus | undefined): Execution[] {
      return list.all(machine, status ?? "", status ?? "").map(toExecution);
    },
    history(machine: string, name: string): HistoryEvent[] {
      const text = history.get(machine, name)?.history;
      return typeof text === "string" ? JSON.parse(text) : [];
    },
    /** Ended executions keep their name for 90 days. */
    forgetOld: (nowMs: number): void => void forget.run(nowMs - NAME_KEPT_MILLISECONDS),
  };
}

function toExecution(row: Record<string, unknown>): Execution {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    machine: String(row.machine),
    name: String(row.name),
    input: String(row.input),
    status: toStatus(row.status),
    startMs: Number(row.start_ms),
    stopMs: typeof row.stop_ms === "number" ? row.stop_ms : undefined,
    output: text(row.output),
    error: text(row.error),
    cause: text(row.cause),
    statesEntered: Number(row.states_entered),
  };
}

function toStatus(value: unknown): ExecutionStatus {
  const status = EXECUTION_STATUSES.find((known) => known === value);
  if (!status) throw new Error(`the execution store holds an unknown status: ${String(value)}`);
  return status;
}
