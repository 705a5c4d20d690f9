import type { DatabaseSync } from "node:sqlite";
import type { Schedules, TimedEvent } from "../../../../shared/base/aws/adapters.ts";
import { isStorageFull } from "../../../../shared/base/errors/storageFull.ts";
import { transaction } from "../database.ts";
import { type Expression, parseExpression } from "./expression.ts";
import type { ScheduleDefinition } from "./scheduleDefinition.ts";
import type { Schedule, ScheduleStore } from "./scheduleStore.ts";

type Options = {
  database: DatabaseSync;
  store: ScheduleStore;
  /** Hands the input to the function; what it stores is part of the scheduler's transaction. */
  deliver: (functionName: string, input: string) => void;
  log: (line: string) => void;
};

/** Timers stand still while a machine sleeps, so the clock is looked at this often at least. */
const LONGEST_WAIT_MILLISECONDS = 60_000;
const STORE_AGAIN_MILLISECONDS = 1_000;
const DEFAULT_EVENT_AGE_SECONDS = 86_400;

/**
 * Invokes functions when schedules are due. What was due while the program did not run is made up for once, if it is not
 * older than the target's MaximumEventAgeInSeconds (a day).
 */
export class Scheduler implements Schedules {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** @throws Error for a name or an expression that EventBridge Scheduler would refuse */
  async put({ name, expression, timeZone, target, event, longestDelaySeconds }: TimedEvent): Promise<void> {
    this.#store(name, {
      ScheduleExpression: expression,
      ScheduleExpressionTimezone: timeZone,
      State: "ENABLED",
      ...(expression.startsWith("at(") && { ActionAfterCompletion: "DELETE" }),
      Target: {
        Arn: target,
        Input: JSON.stringify(event),
        RetryPolicy: { MaximumEventAgeInSeconds: longestDelaySeconds },
      },
    });
  }

  async remove(name: string): Promise<void> {
    this.#options.store.remove(name);
  }

  /** @throws Error when there is no such schedule */
  async setState(name: string, State: ScheduleDefinition["State"]): Promise<void> {
    const schedule = this.#options.store.get(name);
    if (schedule === undefined) throw new Error(`there is no schedule ${name}`);
    if (schedule.definition.State !== State) this.#store(name, { ...schedule.definition, State });
  }

  /** Makes a schedule that the stack has in AWS; one that exists stays as it is. */
  ensure(name: string, definition: ScheduleDefinition): void {
    if (this.#options.store.get(name) === undefined) this.#store(name, definition);
  }

  /** Sets the timer for the next due time; called once at the start. */
  arm(): void {
    clearTimeout(this.#timer);
    const dueMs = this.#options.store.soonest();
    if (this.#stopped || dueMs === undefined) return;
    const wait = Math.min(Math.max(dueMs - Date.now(), 0), LONGEST_WAIT_MILLISECONDS);
    this.#timer = setTimeout(() => this.#tick(), wait);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #store(name: string, definition: ScheduleDefinition): void {
    if (!/^[0-9a-zA-Z_.-]{1,64}$/.test(name)) throw new Error(`${JSON.stringify(name)} cannot name a schedule`);
    const { store } = this.#options;
    const modifiedMs = Date.now();
    const createdMs = store.get(name)?.createdMs ?? modifiedMs;
    const schedule = { name, definition, createdMs, modifiedMs, dueMs: undefined };
    store.put({ ...schedule, dueMs: firstDue(schedule) });
    this.arm();
  }

  #tick(): void {
    const nowMs = Date.now();
    try {
      for (const schedule of this.#options.store.due(nowMs))
        transaction(this.#options.database, () => this.#invoke(schedule, nowMs));
      this.arm();
    } catch (error) {
      this.#options.log(`schedules that are due wait: ${String(error)}`);
      if (!this.#stopped) this.#timer = setTimeout(() => this.#tick(), STORE_AGAIN_MILLISECONDS);
    }
  }

  #invoke(schedule: Schedule, nowMs: number): void {
    const { store, deliver, log } = this.#options;
    const { definition, dueMs = nowMs, name } = schedule;
    const ageSeconds = (nowMs - dueMs) / 1000;
    const { Arn, Input, RetryPolicy } = definition.Target;
    const longestSeconds = RetryPolicy?.MaximumEventAgeInSeconds ?? DEFAULT_EVENT_AGE_SECONDS;
    try {
      if (ageSeconds <= longestSeconds) deliver(functionNameOf(Arn), withTime(Input, dueMs));
      else log(`schedule ${name} was due ${Math.round(ageSeconds)} s ago, which is too long`);
    } catch (error) {
      if (isStorageFull(error)) throw error;
      log(`schedule ${name} could not invoke ${Arn}: ${String(error)}`);
    }
    const next = nextDue(schedule, nowMs);
    if (next === undefined && definition.ActionAfterCompletion === "DELETE") store.remove(name);
    else store.setDue(schedule, next);
  }
}

/** A time that has passed already is due at once: a caller that schedules "now" may be a moment late. */
function firstDue(schedule: Schedule): number | undefined {
  const expression = expressionOf(schedule);
  if (schedule.definition.State === "DISABLED") return undefined;
  return expression.next(expression.isOneTime ? 0 : schedule.modifiedMs - 1);
}

function nextDue(schedule: Schedule, nowMs: number): number | undefined {
  const expression = expressionOf(schedule);
  return expression.isOneTime ? undefined : expression.next(nowMs);
}

function expressionOf({ definition, modifiedMs }: Schedule): Expression {
  const { ScheduleExpression, ScheduleExpressionTimezone = "UTC" } = definition;
  return parseExpression(ScheduleExpression, ScheduleExpressionTimezone, modifiedMs);
}

/** The last part of an ARN, or a name as it is. */
function functionNameOf(target: string): string {
  return target.slice(target.lastIndexOf(":") + 1);
}

/** The input with the one attribute of EventBridge Scheduler that is used here filled in. */
function withTime(input: string, dueMs: number): string {
  return input.replaceAll("<aws.scheduler.scheduled-time>", new Date(dueMs).toISOString().replace(/\.\d{3}Z$/, "Z"));
}
