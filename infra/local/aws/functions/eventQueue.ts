import { randomUUID } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { type FunctionRunner, requireSize } from "./functionRunner.ts";

/** Lambda's queue of asynchronous invocations: each is delivered at least once, also across a restart. */
export type EventQueue = {
  /** Stores the invocation before it returns. @throws FunctionNotFound, Error for a payload that is too large */
  add(name: string, payload: string): void;
  /** Delivers what the last program left. */
  resume(): void;
  stop(): void;
};

/** Lambda retries after one and two minutes; on one machine that is too long to wait. */
const RETRY_DELAYS_MILLISECONDS = [1_000, 2_000];
const EVENT_LIMIT_BYTES = 1024 * 1024;
const STORE_AGAIN_MILLISECONDS = 1_000;

export function createEventQueue(
  database: DatabaseSync,
  runner: FunctionRunner,
  log: (line: string) => void,
): EventQueue {
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  const insert = database.prepare("INSERT INTO invocations (id, function, payload) VALUES (?, ?, ?)");
  const fail = database.prepare("UPDATE invocations SET failures = ? WHERE id = ?");
  const remove = database.prepare("DELETE FROM invocations WHERE id = ?");

  function later(delayMilliseconds: number, work: () => void | Promise<void>): void {
    if (stopped) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work();
    }, delayMilliseconds);
    timers.add(timer);
  }

  async function deliver(invocation: Invocation): Promise<void> {
    const { name, payload } = invocation;
    const { error } = await runner.run(name, payload);
    if (error) log(`event for ${name} failed: ${error.errorType}: ${error.errorMessage}`);
    settle(invocation, error !== undefined);
  }

  /** What cannot be written is written later: a full disk is no reason to deliver an event again. */
  function settle(invocation: Invocation, hasFailed: boolean): void {
    if (stopped) return;
    const { id, failures } = invocation;
    const delay = hasFailed ? RETRY_DELAYS_MILLISECONDS[failures] : undefined;
    try {
      if (delay === undefined) remove.run(id);
      else fail.run(failures + 1, id);
    } catch (error) {
      log(`the end of an event for ${invocation.name} was not stored: ${String(error)}`);
      later(STORE_AGAIN_MILLISECONDS, () => settle(invocation, hasFailed));
      return;
    }
    if (delay !== undefined) later(delay, () => deliver({ ...invocation, failures: failures + 1 }));
  }

  return {
    add(name, payload) {
      runner.check(name);
      requireSize(payload, EVENT_LIMIT_BYTES, name);
      const invocation = { id: randomUUID(), name, payload, failures: 0 };
      insert.run(invocation.id, name, payload);
      later(0, () => deliver(invocation));
    },
    resume() {
      for (const row of database.prepare("SELECT id, function, payload, failures FROM invocations").all()) {
        const invocation = toInvocation(row);
        try {
          runner.check(invocation.name);
          later(0, () => deliver(invocation));
        } catch {
          log(`an event waits for ${invocation.name}, which does not exist`);
        }
      }
    },
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

type Invocation = { id: string; name: string; payload: string; failures: number };

function toInvocation(row: Record<string, unknown>): Invocation {
  const { id, function: name, payload, failures } = row;
  return { id: String(id), name: String(name), payload: String(payload), failures: Number(failures) };
}
