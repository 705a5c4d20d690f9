import type { FunctionRunner } from "../functions/functionRunner.ts";
import { longTimer } from "../longTimer.ts";
import { Activity } from "./activity.ts";
import type { Execution, ExecutionEnd, ExecutionStore } from "./executionStore.ts";
import { History, type HistoryEvent } from "./history.ts";
import type { Json } from "./json.ts";
import type { Machine } from "./machine.ts";
import { maxDataBytes, playMachine, type RunScope } from "./playMachine.ts";
import { runtimeError, StateError } from "./stateError.ts";
import type { TaskTokens } from "./taskTokens.ts";

type Options = {
  store: ExecutionStore;
  machines: Map<string, Machine>;
  functions: FunctionRunner;
  tokens: TaskTokens;
  log: (line: string) => void;
};

/** One run of an execution in this program. */
type Run = { machine: string; name: string; history: History; aborter: AbortController; cancelTimeout: () => void };

const STORE_AGAIN_MILLISECONDS = 1_000;

/** The last event of a history, and the field that holds its error. */
const LAST_EVENTS = {
  SUCCEEDED: ["ExecutionSucceeded", "executionSucceededEventDetails"],
  FAILED: ["ExecutionFailed", "executionFailedEventDetails"],
  TIMED_OUT: ["ExecutionTimedOut", "executionTimedOutEventDetails"],
  ABORTED: ["ExecutionAborted", "executionAbortedEventDetails"],
} as const;

/**
 * Runs executions. An execution is on disk before it runs and its end before any caller sees it; what is RUNNING on
 * disk when the program starts is run again from its start with the same input and the machine's whole TimeoutSeconds.
 */
export class ExecutionEngine {
  readonly #options: Options;
  readonly #activity = new Activity();
  readonly #runs = new Map<string, Run>();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Starts an execution unless its machine has one of that name, running or ended. `input` is JSON text.
   * @throws Error for a machine that does not exist, and for a name or an input that Step Functions would refuse
   */
  start(machine: string, name: string, input: string): void {
    if (!this.#options.machines.has(machine)) throw new Error(`there is no state machine ${machine}`);
    checkName(name);
    checkInput(input);
    const { store } = this.#options;
    store.forgetOld(Date.now());
    if (store.get(machine, name)) return;
    store.add(machine, name, input, Date.now());
    const execution = store.get(machine, name);
    if (!execution) throw new Error(`the execution ${name} was not stored`);
    this.#run(execution);
  }

  /** Ends a running execution as ABORTED; one that has ended stays as it is. */
  stop(machine: string, name: string, cause: string): void {
    const run = this.#runs.get(keyOf(machine, name));
    if (run) this.#end(run, { status: "ABORTED", cause });
    else this.#options.store.close(machine, name, { status: "ABORTED", cause }, Date.now(), []);
  }

  /** Runs again what the last program left running. */
  resume(): void {
    for (const execution of this.#options.store.running()) this.#run(execution);
  }

  /** The events so far of a running execution, all of an ended one. */
  history(machine: string, name: string): HistoryEvent[] {
    const run = this.#runs.get(keyOf(machine, name));
    return run?.history.events ?? this.#options.store.history(machine, name);
  }

  idle(): Promise<void> {
    return this.#activity.idle();
  }

  /** Stops every run without ending its execution: it stays RUNNING on disk. */
  close(): void {
    this.#closed = true;
    for (const run of this.#runs.values()) this.#halt(run);
  }

  #run(execution: Execution): void {
    const { machine, name } = execution;
    if (this.#closed) return;
    const definition = this.#options.machines.get(machine);
    if (!definition) {
      this.#options.log(`execution ${name} waits: there is no state machine ${machine}`);
      return;
    }
    const aborter = new AbortController();
    const run: Run = { machine, name, history: new History(), aborter, cancelTimeout: () => {} };
    const { TimeoutSeconds } = definition;
    if (TimeoutSeconds !== undefined) {
      const timedOut = { status: "TIMED_OUT", error: "States.Timeout" } as const;
      run.cancelTimeout = longTimer(TimeoutSeconds * 1000, () => this.#endOnceStored(run, timedOut));
    }
    run.history.add("ExecutionStarted");
    this.#runs.set(keyOf(machine, name), run);
    playMachine(definition, JSON.parse(execution.input), this.#scope(run, execution))
      .then(succeeded, failed)
      .then((end) => this.#endOnceStored(run, end));
  }

  #scope(run: Run, execution: Execution): RunScope {
    const { machine, name, input, startMs } = execution;
    const Execution = {
      Id: keyOf(machine, name),
      Name: name,
      Input: JSON.parse(input),
      StartTime: new Date(startMs).toISOString(),
    };
    return {
      functions: this.#options.functions,
      tokens: this.#options.tokens,
      activity: this.#activity,
      history: run.history,
      historyIsFull: () => this.#endOnceStored(run, failed(runtimeError("the history has reached 25,000 events"))),
      signal: run.aborter.signal,
      context: { Execution, StateMachine: { Id: machine, Name: machine } },
    };
  }

  /** An end that comes by itself: no caller would ask for it again, so it is stored later where the disk is full. */
  #endOnceStored(run: Run, end: ExecutionEnd): void {
    try {
      this.#end(run, end);
    } catch (error) {
      this.#options.log(`the end of execution ${run.name} was not stored: ${String(error)}`);
      setTimeout(() => this.#endOnceStored(run, end), STORE_AGAIN_MILLISECONDS).unref();
    }
  }

  /** @throws Error when the end cannot be stored; the run is then as it was */
  #end(run: Run, end: ExecutionEnd): void {
    if (this.#closed || run.aborter.signal.aborted) return;
    const { error, cause } = end;
    const [type, details] = LAST_EVENTS[end.status];
    const events = run.history.with(type, { [details]: end.status === "SUCCEEDED" ? {} : { error, cause } });
    this.#options.store.close(run.machine, run.name, end, Date.now(), events);
    this.#runs.delete(keyOf(run.machine, run.name));
    this.#halt(run);
  }

  #halt(run: Run): void {
    run.cancelTimeout();
    run.aborter.abort(new StateError("States.Aborted", "the run is over", false));
  }
}

/** Control characters, white space, brackets, wildcards and the other characters Step Functions keeps out of names. */
const forbiddenInNames = /[\p{Cc}\p{Cs}\s<>{}[\]?*"#%\\^|~`$&,;:/]/u;

function checkName(name: string): void {
  if (name.length < 1 || name.length > 80 || forbiddenInNames.test(name))
    throw new Error(`${JSON.stringify(name)} cannot name an execution`);
}

function checkInput(input: string): void {
  if (Buffer.byteLength(input) > maxDataBytes) throw new Error("the input of an execution is larger than 256 KiB");
  JSON.parse(input);
}

/** Names have no colon. */
function keyOf(machine: string, name: string): string {
  return `${machine}:${name}`;
}

function succeeded(result: Json): ExecutionEnd {
  return { status: "SUCCEEDED", output: JSON.stringify(result) };
}

function failed(error: unknown): ExecutionEnd {
  if (!(error instanceof Error)) return { status: "FAILED", error: "Error", cause: String(error) };
  return { status: "FAILED", error: error.name, cause: error.message };
}
