import { randomUUID } from "node:crypto";
import { absent, both, either, equals, less } from "../../../base/store/conditions.ts";
import { nowSeconds } from "../../../base/store/ids.ts";
import { changeSocketKeys } from "../../../base/store/keys/changeSocketKeys.ts";
import { table } from "../../../base/store/table.ts";
import { update } from "../../../base/store/writes.ts";

/** A turn that a crash leaves lasts as long, in seconds. */
const turnSeconds = 15;
const renewMilliseconds = 5000;
/** `<record id of its owner>/<number>` of a task whose jobs changed: a member of a set. */
export type TaskName = `${string}/${number}`;

/** Who tells at the moment, and what was asked for. */
interface Telling {
  /** Rises with each event that asks for something to be told. */
  wanted: number;
  /** Tasks whose jobs changed and are to be told. */
  tasks?: ReadonlySet<TaskName>;
  holder?: string;
  /** Unix seconds. */
  until?: number;
  /** Which process had the turn last. */
  lastProcess?: string;
  /** Unix milliseconds: what changed before that, less what may be late, was told. */
  toldUntil?: number;
}

const key = changeSocketKeys.telling;

/**
 * The right to tell connections, which one process has at a time: however many changes there are, a connection gets one
 * message a second. Each change asks first and then tries to take the turn; the process that has it gives it back only
 * if nothing was asked for since it last looked. So each change is seen by the process that has the turn or takes it.
 */
export class TellingTurn {
  /** Of this process, which may know from the last turn what was told. */
  static readonly #process = randomUUID();
  readonly #holder = randomUUID();
  #renewAt = Date.now() + renewMilliseconds;

  private constructor() {}

  /** Asks for changes, also of the jobs of `tasks`, to be told. @returns undefined when another process tells them */
  static async ask(tasks: readonly TaskName[]): Promise<{ turn: TellingTurn; before: Before } | undefined> {
    const add = { wanted: 1, ...(tasks.length > 0 && { tasks: new Set(tasks) }) };
    await table().updateOne(update(key, { set: { type: "change-telling" }, add }));
    const { until = 0, lastProcess, toldUntil } = (await table().get<Telling>(key)) ?? {};
    const turn = new TellingTurn();
    if (until >= nowSeconds() || !(await turn.#take())) return undefined;
    return { turn, before: { wasOwn: lastProcess === TellingTurn.#process, toldUntil } };
  }

  async #take(): Promise<boolean> {
    const now = nowSeconds();
    const set = { holder: this.#holder, lastProcess: TellingTurn.#process, until: now + turnSeconds };
    return table().updateOne(update(key, { set }, either(absent("until"), less("until", now))));
  }

  /** What is asked for by now; what it names of tasks is asked for no more. @returns undefined once the turn was lost */
  async look(): Promise<{ wanted: number; tasks: readonly TaskName[] } | undefined> {
    const now = Date.now();
    if (now >= this.#renewAt) {
      const set = { until: nowSeconds() + turnSeconds };
      if (!(await table().updateOne(update(key, { set }, equals("holder", this.#holder))))) return undefined;
      this.#renewAt = now + renewMilliseconds;
    }
    const { wanted = 0, tasks = new Set<TaskName>() } = (await table().get<Telling>(key)) ?? {};
    if (tasks.size === 0) return { wanted, tasks: [] };
    const areTaken = await table().updateOne(update(key, { takeFrom: { tasks } }, equals("wanted", wanted)));
    return areTaken ? { wanted, tasks: [...tasks] } : this.look();
  }

  /** Gives the turn back. @param wanted of the last look: when more was asked for since, it stays. @returns whether it was given back */
  async giveBack(toldUntil: number, wanted?: number): Promise<boolean> {
    const set = { until: 0, toldUntil };
    const isMine = equals("holder", this.#holder);
    const condition = wanted === undefined ? isMine : both(isMine, equals("wanted", wanted));
    return table().updateOne(update(key, { set }, condition));
  }
}

export interface Before {
  /** Whether this process had the last turn, so that it knows what was told. */
  wasOwn: boolean;
  /** Unix milliseconds. */
  toldUntil: number | undefined;
}
