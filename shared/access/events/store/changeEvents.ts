import { randomBytes } from "node:crypto";
import { keys } from "../../../base/store/keys/keys.ts";
import { table } from "../../../base/store/table.ts";
import type { Item } from "../../../base/store/tableClient.ts";
import { overwrite, type Write } from "../../../base/store/writes.ts";
import { eventIdAt } from "../rules/eventId.ts";
import { wakeTeller } from "./listeners.ts";

/** For how long a client that was away is told what happened meanwhile. */
export const keptMilliseconds = 3600 * 1000;
/** Its writer may still wait for others a moment after it was given its id, and clocks differ. */
export const lateMilliseconds = 10_000;
/** Read at once; a client that missed more has to look at everything. */
export const mostEvents = 1000;

/** Something changed: what, and its state now. */
export interface ChangeEvent {
  kind: "task" | "environment" | "release_plan";
  /** Empty for a release plan, which belongs to no project. */
  projectKey: string;
  /** Of the workflow, the test or the scan that a task is of; of the environment; the id of the plan. */
  key: string;
  /** As it is shown. */
  name: string;
  state: string;
  taskId?: number;
  /** The kind of an environment. */
  production?: boolean;
}

/**
 * Tells those who follow changes: by a record of less than 1 KB in the transaction of the change, and, where connections
 * are open, by waking who tells them once it is done.
 */
export function notifyChange(event: ChangeEvent): Write {
  const now = Date.now();
  const id = eventIdAt(now, randomBytes(4).toString("hex"));
  const ttl = Math.ceil((now + keptMilliseconds + lateMilliseconds) / 1000);
  return { ...overwrite({ ...event, ...keys.changeEvent(id), type: "change-event", ttl }), afterwards: wakeTeller };
}

/** The oldest `mostEvents` since a time (Unix milliseconds), of all projects; as they were a moment ago unless `consistent`. */
export function changesSince(time: number, { consistent = false } = {}): Promise<Item<ChangeEvent>[]> {
  const { pk, sk } = keys.changeEvent(eventIdAt(time));
  return table().query<ChangeEvent>({ pk, between: [sk, "9"], limit: mostEvents, consistent });
}
