import type { Adapters } from "../../../shared/base/aws/adapters.ts";
import type { TableEngine } from "../../../shared/base/store/engine.ts";
import { aroundAdapters } from "../../harness/awsCalls.ts";
import type { Execution, PlayedMachines } from "./playedMachines.ts";

/**
 * The adapters for AWS and the engine of the table, with the state machines played by the test. It can refuse everything
 * after so many writes, as if the writer had been killed there.
 */
export class PlayedAws {
  /** The engine, as long as nobody is killed. */
  readonly engine: TableEngine;
  #writesLeft = Number.POSITIVE_INFINITY;
  #played: Played = () => false;
  machines: PlayedMachines;

  constructor(engine: TableEngine, machines: PlayedMachines) {
    this.machines = machines;
    this.engine = {
      get: (...given) => this.#unlessKilled(false, () => engine.get(...given)),
      getBatch: (...given) => this.#unlessKilled(false, () => engine.getBatch(...given)),
      queryPage: (...given) => this.#unlessKilled(false, () => engine.queryPage(...given)),
      transact: (...given) => this.#unlessKilled(true, () => engine.transact(...given)),
      update: (...given) => this.#unlessKilled(true, () => engine.update(...given)),
    };
  }

  /** The adapters that are given, but for what is played, as long as nobody is killed. */
  around(others: Adapters): Adapters {
    return aroundAdapters(others, (call, values, go) =>
      this.#unlessKilled(writing.test(call), async () => {
        if (this.#played(call, values)) return undefined;
        return call.startsWith("stateMachines.") ? this.#states(call, values as string[]) : go();
      }),
    );
  }

  /** What else the test plays: calls of adapters that this takes, answering true. */
  answerWith(played: Played): void {
    this.#played = played;
  }

  /** After so many more writes nothing is answered any more. */
  killAfter(writes: number): void {
    this.#writesLeft = writes;
  }

  /** @returns whether somebody was killed meanwhile */
  revive(): boolean {
    const wasKilled = this.#writesLeft < 0;
    this.#writesLeft = Number.POSITIVE_INFINITY;
    return wasKilled;
  }

  async #unlessKilled<T>(isWrite: boolean, work: () => Promise<T>): Promise<T> {
    if (isWrite && this.#writesLeft <= 0) this.#writesLeft = -1;
    if (this.#writesLeft < 0) throw new Error("Killed");
    if (isWrite) this.#writesLeft -= 1;
    return work();
  }

  #states(call: string, [first = "", second = "", input = ""]: readonly string[]): unknown {
    switch (call) {
      case "stateMachines.start":
        this.machines.start(first, second, input);
        return undefined;
      case "stateMachines.status":
        return this.machines.executions.get(`${first}:${second}`)?.status;
      case "stateMachines.running":
        return [...this.machines.executions.values()].filter(isRunningIn(first)).map(({ name }) => name);
      case "stateMachines.settle":
        return this.machines.settle(first, JSON.parse(second));
      default:
        throw new Error(`${call} is not played`);
    }
  }
}

const isRunningIn =
  (machine: string) =>
  ({ kind, status }: Execution): boolean =>
    kind === machine && status === "RUNNING";

type Played = (call: string, values: readonly unknown[]) => boolean;

/** What changes something that outlives its caller. */
const writing = /^(functions|schedules)\.|^stateMachines\.(start|settle)$/;
