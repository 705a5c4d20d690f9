import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { arns } from "../arns.ts";
import { transaction } from "../database.ts";
import { type Expression, parseExpression } from "./expression.ts";
import type { ScheduleDefinition } from "./scheduleDefinition.ts";
import type { Schedule, ScheduleStore } from "./scheduleStore.ts";

type Options = {
  database: DatabaseSync;
  store: ScheduleStore;
  /** Hands the input to the target; what it stores is part of the scheduler's transaction. */
  deliver: (targetArn: string, input: string) => void;
  log: (line: string) => void;
};

/** Timers stand still while a machine sleeps, so the clock is looked at this often at least. */
const LONGEST_WAIT_MILLISECONDS = 60_000;
const DEFAULT_EVENT_AGE_SECONDS = 86_400;

/**
 * Invokes targets when schedules are due. What was due while the program did not run is made up for once, if it is not
 * older than the target's MaximumEventAgeInSeconds (a day).
 */
export class Scheduler {
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Stores a new or changed schedule. @throws AwsError ValidationException for a wrong expression */
  put(group: string, name: string, definition: ScheduleDefinition): void {
    const { store } = this.#options;
    const modifiedMs = Date.now();
    const createdMs = store.has(group, name) ? store.get(group, name).createdMs : modifiedMs;
    const schedule = { group, name, definition, createdMs, modifiedMs, dueMs: undefined };
    store.put({ ...schedule, dueMs: firstDue(schedule) });
    this.arm();
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

  #tick(): void {
    const nowMs = Date.now();
    for (const schedule of this.#options.store.due(nowMs)) {
      transaction(this.#options.database, () => this.#invoke(schedule, nowMs));
    }
    this.arm();
  }

  #invoke(schedule: Schedule, nowMs: number): void {
    const { store, deliver, log } = this.#options;
    const { definition, dueMs = nowMs, group, name } = schedule;
    const ageSeconds = (nowMs - dueMs) / 1000;
    const longestSeconds = definition.Target.RetryPolicy?.MaximumEventAgeInSeconds ?? DEFAULT_EVENT_AGE_SECONDS;
    try {
      if (ageSeconds <= longestSeconds) deliver(definition.Target.Arn, targetInput(schedule, dueMs));
      else log(`schedule ${group}/${name} was due ${Math.round(ageSeconds)} s ago, which is too long`);
    } catch (error) {
      log(`schedule ${group}/${name} could not invoke ${definition.Target.Arn}: ${String(error)}`);
    }
    const next = nextDue(schedule, nowMs);
    if (next === undefined && definition.ActionAfterCompletion === "DELETE") store.remove(group, name);
    else store.setDue(schedule, next);
  }
}

/** A time that has passed already is due at once: a caller that schedules "now" may be a moment late. */
function firstDue(schedule: Schedule): number | undefined {
  const expression = expressionOf(schedule);
  if (schedule.definition.State === "DISABLED") return undefined;
  if (expression.isOneTime) return expression.next(0);
  const { StartDate = 0 } = schedule.definition;
  return withinEnd(schedule, expression.next(Math.max(schedule.modifiedMs, StartDate * 1000) - 1));
}

function nextDue(schedule: Schedule, nowMs: number): number | undefined {
  const expression = expressionOf(schedule);
  return expression.isOneTime ? undefined : withinEnd(schedule, expression.next(nowMs));
}

function withinEnd({ definition: { EndDate } }: Schedule, dueMs: number | undefined): number | undefined {
  return EndDate !== undefined && dueMs !== undefined && dueMs > EndDate * 1000 ? undefined : dueMs;
}

function expressionOf({ definition, modifiedMs }: Schedule): Expression {
  const { ScheduleExpression, ScheduleExpressionTimezone, StartDate } = definition;
  const anchorMs = StartDate === undefined ? modifiedMs : StartDate * 1000;
  return parseExpression(ScheduleExpression, ScheduleExpressionTimezone, anchorMs);
}

/** The target's input with the scheduler's context attributes filled in, or AWS's event when there is none. */
function targetInput({ definition, group, name }: Schedule, dueMs: number): string {
  const id = randomUUID();
  const time = new Date(dueMs).toISOString().replace(/\.\d{3}Z$/, "Z");
  const arn = arns.schedule(group, name);
  const { Input } = definition.Target;
  if (Input === undefined)
    return JSON.stringify({
      version: "0",
      id,
      "detail-type": "Scheduled Event",
      source: "aws.scheduler",
      time,
      resources: [arn],
      detail: "{}",
    });
  return Input.replaceAll("<aws.scheduler.schedule-arn>", arn)
    .replaceAll("<aws.scheduler.scheduled-time>", time)
    .replaceAll("<aws.scheduler.execution-id>", id)
    .replaceAll("<aws.scheduler.attempt-number>", "1");
}
