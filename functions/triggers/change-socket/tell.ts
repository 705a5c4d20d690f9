import { setTimeout as pause } from "node:timers/promises";
import { eventIdAt } from "../../../shared/access/events/rules/eventId.ts";
import {
  type ChangeConnection,
  type Follows,
  openConnections,
  removeConnection,
} from "../../../shared/access/events/store/changeConnections.ts";
import { changesSince, lateMilliseconds, mostEvents } from "../../../shared/access/events/store/changeEvents.ts";
import { changeSocketFunction } from "../../../shared/access/events/store/listeners.ts";
import { type TaskName, TellingTurn } from "../../../shared/access/events/store/tellingTurn.ts";
import { callerNow } from "../../../shared/access/identity/session/callerNow.ts";
import { invokeLater } from "../../../shared/base/aws/functions/invokeLater.ts";
import { postToSocket } from "../../../shared/base/aws/sockets/sockets.ts";
import { ApiError } from "../../../shared/base/errors/apiError.ts";
import { log } from "../../../shared/base/settings/log.ts";
import type { Caller } from "../../../shared/http/exchange.ts";
import { endConnection } from "./endConnection.ts";
import { isFollowed, type Look, messageText, type Pending, type StoredEvent, shownOf } from "./message.ts";

/** Messages that a connection gets one a second, when it got none for long. */
const burst = 60;
/** After those one comes as often: at most 2,940 in eight hours, whatever changes (docs/aws.md, cost of change sockets). */
const refillMilliseconds = 10_000;

/** How often a connection is told, which is what API Gateway bills. */
export class Pace {
  #left = burst;
  #since: number;

  /** @param now Unix milliseconds, as everywhere here */
  constructor(now: number) {
    this.#since = now;
  }

  /** Whether a message may be sent now. */
  isDue(now: number): boolean {
    const more = Math.floor((now - this.#since) / refillMilliseconds);
    if (more > 0) {
      this.#left = Math.min(burst, this.#left + more);
      this.#since += more * refillMilliseconds;
    }
    return this.#left > 0;
  }

  /** Counts a message. */
  take(): void {
    this.#left -= 1;
  }
}

/** Between two messages to a connection. */
const pauseMilliseconds = 1000;
/** After that another call goes on: the function itself may run for a minute. */
const longestMilliseconds = 45_000;
/** What is older when it is found was already sent, or there was no client to send it to. */
const oldestMilliseconds = 60_000;
/** Sent at the same time. */
const atOnce = 10;

/** What this process knows of what was told; good as long as no other process had the turn. */
class Memory {
  seen: ReadonlySet<string> = new Set();
  readonly pending = new Map<string, Pending>();
  readonly paces = new Map<string, Pace>();
}

let memory = new Memory();

type Following = ChangeConnection & { follows: Follows };

/**
 * Tells every connection what changed of what it follows and its bearer may read, one message a second at most, until there
 * is nothing left to tell. Where another process is at it, that one is asked to look again.
 * @param tasks whose jobs changed
 */
export async function tell(tasks: readonly { ownerId: string; taskId: number }[], signal?: AbortSignal): Promise<void> {
  const given = await TellingTurn.ask(tasks.map(({ ownerId, taskId }): TaskName => `${ownerId}/${taskId}`));
  if (given === undefined) return;
  const { turn, before } = given;
  if (!before.wasOwn) memory = new Memory();
  const begun = Date.now();
  // Clocks of two processes differ.
  let readUntil = Math.min(begun, Math.max(before.toldUntil ?? 0, begun - oldestMilliseconds));
  for (;;) {
    const asked = await turn.look();
    if (asked === undefined) return;
    const now = Date.now();
    const read = await changesSince(readUntil - lateMilliseconds, { consistent: true });
    const fresh = read.filter(({ sk }) => !memory.seen.has(sk));
    memory.seen = new Set(read.map(({ sk }) => sk));
    readUntil = now;
    const isQuiet = fresh.length === 0 && asked.tasks.length === 0 && memory.pending.size === 0;
    if (isQuiet && (await turn.giveBack(now, asked.wanted))) return;
    if (isQuiet) continue;
    await tellConnections({ fresh, tasks: new Set(asked.tasks), isReset: read.length >= mostEvents });
    if (Date.now() - begun >= longestMilliseconds || signal?.aborted === true) {
      await turn.giveBack(now);
      if (signal?.aborted !== true) await invokeLater(changeSocketFunction, { tell: {} });
      return;
    }
    await pause(pauseMilliseconds, undefined, signal && { signal }).catch(() => undefined);
  }
}

interface News {
  fresh: readonly StoredEvent[];
  tasks: ReadonlySet<TaskName>;
  isReset: boolean;
}

async function tellConnections(news: News): Promise<void> {
  const open = (await openConnections({ consistent: true })).filter(
    (one): one is Following => one.follows !== undefined,
  );
  const ids = new Set(open.map(({ connectionId }) => connectionId));
  for (const known of [memory.pending, memory.paces]) for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  for (const one of open) note(one, news);
  const now = Date.now();
  const due = open.filter(
    ({ connectionId }) => memory.pending.has(connectionId) && paceOf(connectionId, now).isDue(now),
  );
  // Several connections may be of the same person.
  const callers = new Map<string, Promise<Caller>>();
  for (let at = 0; at < due.length; at += atOnce)
    await Promise.all(due.slice(at, at + atOnce).map((one) => tellOne(one, callers)));
}

/** Notes what a connection is to be told. */
function note({ connectionId, follows, toldUntil = 0 }: Following, { fresh, tasks, isReset }: News): void {
  const since = eventIdAt(toldUntil - lateMilliseconds);
  const { events = [], looks = [], isReset: wasReset = false } = memory.pending.get(connectionId) ?? {};
  const wanted = fresh.filter((event) => event.sk >= since && isFollowed(event, follows));
  const { task } = follows;
  const isJobs = task !== undefined && tasks.has(`${task.ownerId}/${task.taskId}`);
  const jobs = isJobs && looks.length === 0 ? [jobsChanged(task)] : [];
  if (wanted.length === 0 && jobs.length === 0 && !isReset) return;
  memory.pending.set(connectionId, {
    events: [...events, ...wanted],
    looks: [...looks, ...jobs],
    isReset: isReset || wasReset,
  });
}

function jobsChanged({ projectKey, key, taskId }: NonNullable<Follows["task"]>): Look {
  return {
    shown: { type: "jobs", key, task_id: taskId, state: "changed" },
    record: { kind: "task", projectKey, key },
  };
}

function paceOf(connectionId: string, now: number): Pace {
  const pace = memory.paces.get(connectionId) ?? new Pace(now);
  memory.paces.set(connectionId, pace);
  return pace;
}

async function tellOne(connection: Following, callers: Map<string, Promise<Caller>>): Promise<void> {
  const { connectionId, tokenHash } = connection;
  const pending = memory.pending.get(connectionId);
  if (pending === undefined) return;
  memory.pending.delete(connectionId);
  try {
    const asked = callers.get(tokenHash) ?? callerNow(tokenHash);
    callers.set(tokenHash, asked);
    const now = Date.now();
    const changes = shownOf(pending, await asked, now);
    if (changes.length === 0) return;
    paceOf(connectionId, now).take();
    if (!(await postToSocket(connectionId, messageText(changes, now)))) await removeConnection(connectionId);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return endConnection(connectionId, "unauthorized");
    // Throttled, for example: it is told with what comes next. The pace ends what fails again and again.
    log.warn("a connection was not told of a change", { internal: String(error) });
    paceOf(connectionId, Date.now()).take();
    memory.pending.set(connectionId, pending);
  }
}
