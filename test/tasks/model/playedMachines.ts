import { randomUUID } from "node:crypto";
import { definition as job } from "../../../functions/engine/job/definition.ts";
import { handler as jobTasks } from "../../../functions/engine/job/handler.ts";
import { definition as releasePlan } from "../../../functions/engine/release-plan/definition.ts";
import { handler as releasePlanTasks } from "../../../functions/engine/release-plan/handler.ts";
import { definition as workflowTask } from "../../../functions/engine/workflow-task/definition.ts";
import { handler as workflowTaskTasks } from "../../../functions/engine/workflow-task/handler.ts";
import { holds } from "../../../infra/local/aws/states/choose.ts";
import { fillTemplate } from "../../../infra/local/aws/states/fillTemplate.ts";
import type { Json, JsonObject } from "../../../infra/local/aws/states/json.ts";
import {
  invocationWithToken,
  type Machine,
  type MapState,
  readMachine,
  type State,
  type TaskState,
} from "../../../infra/local/aws/states/machine.ts";
import { type Context, readPath } from "../../../infra/local/aws/states/readPath.ts";

const machines: Readonly<Record<string, { machine: Machine; handler: (event: unknown) => Promise<unknown> }>> = {
  "workflow-task": { machine: readMachine("workflow-task", workflowTask), handler: workflowTaskTasks },
  job: { machine: readMachine("job", job), handler: jobTasks },
  "release-plan": { machine: readMachine("release-plan", releasePlan), handler: releasePlanTasks },
};

export interface Execution {
  kind: string;
  name: string;
  input: string;
  status: "RUNNING" | "SUCCEEDED";
}

/** A call of a function that is to be made; made again when it fails, though its state may have ended with its token. */
interface Turn {
  execution: Execution;
  event: Json;
  done: (output: Json) => void;
}

/** A state that waits for its token. */
interface Wait {
  execution: Execution;
  settle: (output: Json) => void;
  /** Absent where nothing ends the wait but its token. */
  timeOut?: () => void;
}

/**
 * Plays the machines of tasks and of release plans as they are defined, one call of a function after the other, in an order that the test
 * chooses. Nothing happens by itself.
 */
export class PlayedMachines {
  readonly executions = new Map<string, Execution>();
  #turns: Turn[] = [];
  #waits = new Map<string, Wait>();

  /** Does nothing where the machine has an execution of the name. */
  start(kind: string, name: string, input: string): void {
    if (this.executions.has(`${kind}:${name}`)) return;
    const execution: Execution = { kind, name, input, status: "RUNNING" };
    this.executions.set(`${kind}:${name}`, execution);
    this.#run(execution);
  }

  /** @returns false when nobody waits on the token any more */
  settle(token: string, output: Json): boolean {
    const wait = this.#waits.get(token);
    this.#waits.delete(token);
    wait?.settle(output);
    return wait !== undefined;
  }

  /** How many calls may be made now. */
  get turns(): number {
    return this.#turns.length;
  }

  /** Makes one of the calls; when it fails it stays to be made. */
  async turn(number: number): Promise<void> {
    const turn = this.#turns[number % this.#turns.length];
    if (turn === undefined) return;
    const output = await machines[turn.execution.kind]?.handler(turn.event);
    this.#turns = this.#turns.filter((one) => one !== turn);
    turn.done((output ?? null) as Json);
    await untilQuiet();
  }

  /** Makes one of the calls a second time, as somebody who does not know that it was made. */
  async repeat(number: number): Promise<void> {
    const turn = this.#turns[number % this.#turns.length];
    if (turn !== undefined) await machines[turn.execution.kind]?.handler(turn.event);
  }

  /** Names of the executions of jobs whose time can be up. */
  get timeouts(): string[] {
    const open = [...this.#waits.values()].filter(({ timeOut, execution }) => timeOut && execution.kind === "job");
    return open.map(({ execution }) => execution.name);
  }

  async timeOut(name: string): Promise<void> {
    const [token, wait] = [...this.#waits].find(([, one]) => one.timeOut && one.execution.name === name) ?? [];
    if (token !== undefined) this.#waits.delete(token);
    wait?.timeOut?.();
    await untilQuiet();
  }

  /** The program was killed: what ran is run again from its start, and the tokens are worth nothing any more. */
  async restart(): Promise<void> {
    this.#turns = [];
    this.#waits.clear();
    for (const execution of this.executions.values()) if (execution.status === "RUNNING") this.#run(execution);
    await untilQuiet();
  }

  #run(execution: Execution): void {
    const machine = machines[execution.kind]?.machine;
    if (machine === undefined) throw new Error(`there is no machine ${execution.kind}`);
    void this.#play(execution, machine, JSON.parse(execution.input), {}).then(() => {
      execution.status = "SUCCEEDED";
    });
  }

  async #play(execution: Execution, { StartAt, States }: Machine, input: Json, context: Context): Promise<Json> {
    let data = input;
    for (let name: string | undefined = StartAt; name !== undefined; ) {
      const state: State | undefined = States[name];
      if (state === undefined) throw new Error(`there is no state ${name}`);
      if (state.Type === "Choice") {
        name = state.Choices.find((rule) => holds(rule, data, context))?.Next ?? state.Default;
        continue;
      }
      if (state.Type === "Task" || state.Type === "Map") {
        const output =
          state.Type === "Map"
            ? await this.#map(execution, state, data)
            : await this.#call(execution, state, data, context);
        if (output === timedOut) {
          name = state.Catch?.find(({ ErrorEquals }) => ErrorEquals.includes("States.Timeout"))?.Next;
          continue;
        }
        data = placed(state, data, output, context);
      }
      name = "Next" in state ? state.Next : undefined;
    }
    return data;
  }

  async #call(execution: Execution, state: TaskState, data: Json, context: Context): Promise<Json | typeof timedOut> {
    const token = randomUUID();
    const request = fillTemplate(state.Parameters, data, { ...context, Task: { Token: token } });
    const event = (request as { Payload: Json }).Payload;
    const called = () =>
      new Promise<Json>((done) => {
        this.#turns.push({ execution, event, done });
      });
    if (state.Resource !== invocationWithToken) return { Payload: await called() };
    const catches = state.Catch?.some(({ ErrorEquals }) => ErrorEquals.includes("States.Timeout")) === true;
    const settled = new Promise<Json | typeof timedOut>((settle) => {
      this.#waits.set(token, { execution, settle, ...(catches && { timeOut: () => settle(timedOut) }) });
    });
    void called();
    return settled;
  }

  async #map(execution: Execution, state: MapState, data: Json): Promise<Json> {
    const { ItemProcessor, ItemSelector = {}, ItemsPath, MaxConcurrencyPath = "$" } = state;
    const items = readPath(ItemsPath, data, {}) as Json[];
    const atOnce = readPath(MaxConcurrencyPath, data, {}) as number;
    const left = items.values();
    const worker = async () => {
      for (const Value of left) {
        const context = { Map: { Item: { Value } } };
        await this.#play(execution, ItemProcessor, fillTemplate(ItemSelector, data, context), context);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
    return null;
  }
}

const timedOut = Symbol("timed out");

function placed(
  { ResultPath, ResultSelector }: TaskState | MapState,
  data: Json,
  output: Json,
  context: Context,
): Json {
  if (ResultPath === null) return data;
  const result = ResultSelector === undefined ? output : fillTemplate(ResultSelector, output, context);
  const field = ResultPath?.slice(2);
  return field === undefined ? result : { ...(data as JsonObject), [field]: result };
}

/** What follows without a call has happened. */
function untilQuiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
