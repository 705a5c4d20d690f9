import { arns } from "../arns.ts";
import { AwsError } from "../awsError.ts";
import type { FunctionRunner } from "../lambda/functionRunner.ts";
import { longTimer } from "../longTimer.ts";
import { Activity } from "./activity.ts";
import type { Execution, ExecutionEnd, ExecutionStore } from "./executionStore.ts";
import { History, type HistoryEvent } from "./history.ts";
import type { Json } from "./json.ts";
import type { Machine } from "./machine.ts";
import { playMachine, type RunScope } from "./playMachine.ts";
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

/** The last event of a history, and where its error stands. */
const LAST_EVENTS = {
  SUCCEEDED: ["ExecutionSucceeded", "executionSucceededEventDetails"],
  FAILED: ["ExecutionFailed", "executionFailedEventDetails"],
  TIMED_OUT: ["ExecutionTimedOut", "executionTimedOutEventDetails"],
  ABORTED: ["ExecutionAborted", "executionAbortedEventDetails"],
} as const;

/**
 * Runs executions. An execution is on disk before it runs and its end before anybody sees it; what is RUNNING on disk
 * when the program starts is run again from its start with the same input, its machine's TimeoutSeconds counted anew.
 */
export class ExecutionEngine {
  readonly #options: Options;
  readonly #activity = new Activity();
  readonly #runs = new Map<string, Run>();
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** @throws AwsError StateMachineDoesNotExist */
  checkMachine(name: string): void {
    if (this.#options.machines.has(name)) return;
    throw new AwsError("StateMachineDoesNotExist", `State Machine Does Not Exist: '${arns.stateMachine(name)}'`);
  }

  /**
   * Starts an execution, or answers the running one of the same name and input. `input` is JSON text.
   * @throws AwsError ExecutionAlreadyExists, StateMachineDoesNotExist
   */
  start(machine: string, name: string, input: string): Execution {
    this.checkMachine(machine);
    const { store } = this.#options;
    store.forgetOld(Date.now());
    const before = store.get(machine, name);
    if (before?.status === "RUNNING" && before.input === input) return before;
    if (before) {
      const arn = arns.execution(machine, name);
      throw new AwsError("ExecutionAlreadyExists", `Execution Already Exists: '${arn}'`);
    }
    store.add(machine, name, input, Date.now());
    const execution = store.get(machine, name);
    if (!execution) throw new Error(`the execution ${name} was not stored`);
    this.#run(execution);
    return execution;
  }

  /** Ends a running execution as ABORTED; one that has ended stays as it is. */
  stop(machine: string, name: string, error: string | undefined, cause: string | undefined): void {
    const run = this.#runs.get(arns.execution(machine, name));
    if (run) this.#end(run, { status: "ABORTED", error, cause });
    else this.#options.store.close(machine, name, { status: "ABORTED", error, cause }, Date.now(), []);
  }

  /** Runs again what the last program left running. */
  resume(): void {
    for (const execution of this.#options.store.running()) this.#run(execution);
  }

  /** The events so far of a running execution, all of an ended one. */
  history(machine: string, name: string): HistoryEvent[] {
    const run = this.#runs.get(arns.execution(machine, name));
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
      run.cancelTimeout = longTimer(TimeoutSeconds * 1000, () => this.#end(run, timedOut));
    }
    run.history.add("ExecutionStarted");
    this.#runs.set(arns.execution(machine, name), run);
    playMachine(definition, JSON.parse(execution.input), this.#scope(run, execution))
      .then(
        (output) => this.#end(run, succeeded(output)),
        (error: unknown) => this.#end(run, failed(error)),
      )
      .catch((error: unknown) => this.#options.log(`the end of execution ${name} was not stored: ${String(error)}`));
  }

  #scope(run: Run, execution: Execution): RunScope {
    const { machine, name, input, startMs } = execution;
    const Execution = {
      Id: arns.execution(machine, name),
      Name: name,
      Input: JSON.parse(input),
      StartTime: new Date(startMs).toISOString(),
      RoleArn: "arn:aws:iam::000000000000:role/local",
    };
    return {
      functions: this.#options.functions,
      tokens: this.#options.tokens,
      activity: this.#activity,
      history: run.history,
      historyIsFull: () => this.#end(run, failed(runtimeError("the history has reached 25,000 events"))),
      signal: run.aborter.signal,
      context: { Execution, StateMachine: { Id: arns.stateMachine(machine), Name: machine } },
    };
  }

  #end(run: Run, end: ExecutionEnd): void {
    if (this.#closed || run.aborter.signal.aborted) return;
    const { error, cause } = end;
    const [type, details] = LAST_EVENTS[end.status];
    run.history.add(type, { [details]: end.status === "SUCCEEDED" ? {} : { error, cause } });
    this.#options.store.close(run.machine, run.name, end, Date.now(), run.history.events);
    this.#runs.delete(arns.execution(run.machine, run.name));
    this.#halt(run);
  }

  #halt(run: Run): void {
    run.cancelTimeout();
    run.aborter.abort(new StateError("States.Aborted", "the run is over", false));
  }
}

function succeeded(result: Json): ExecutionEnd {
  return { status: "SUCCEEDED", output: JSON.stringify(result) };
}

function failed(error: unknown): ExecutionEnd {
  if (!(error instanceof Error)) return { status: "FAILED", error: "Error", cause: String(error) };
  return { status: "FAILED", error: error.name, cause: error.message };
}
