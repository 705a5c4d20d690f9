import { mustBeOneOf } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { table } from "../../base/store/table.ts";
import type { Item } from "../../base/store/tableClient.ts";
import { create, remove, update, type Write } from "../../base/store/writes.ts";
import type { TaskOwner } from "./task.ts";

/** Whose tasks are under a key, and where they are with their numbers. Goes with the owner's record. */
export interface TaskHead {
  ownerId: string;
  owner: TaskOwner;
  /** Tasks that may run at once; undefined: any number; 0: none starts (contract W 1.1). */
  limit?: number;
  /** The last number that was given. */
  last: number;
  /** The last place in the queue. */
  position: number;
  running: number;
  /** Tasks in its own queue: they wait for one of `limit`, and not for the installation. Absent before the first. */
  queued?: number;
  /** Tasks that its project did not keep; absent before the first. */
  gone?: number;
  /** None of them has this number or a higher one. */
  goneBelow?: number;
  /** Logs of tasks below this number were removed. */
  logsGoneBelow?: number;
}

/** How many more of its tasks may start. */
export function roomOf({ limit = Number.POSITIVE_INFINITY, running }: Pick<TaskHead, "limit" | "running">): number {
  return Math.max(0, limit - running);
}

/** With the record of the owner. */
export function createHead(owner: TaskOwner, limit: number | undefined): Write {
  const numbers = { last: 0, position: 0, running: 0 };
  return create({ ...keys.taskHead(owner.key), type: "task-head", ownerId: owner.id, owner, limit, ...numbers });
}

export function changeHead(owner: TaskOwner, limit: number | undefined): Write {
  const change = limit === undefined ? { set: { owner }, unset: ["limit"] } : { set: { owner, limit } };
  return update(keys.taskHead(owner.key), change, mustBeOneOf("ownerId", [owner.id]));
}

/** With the record of the owner: one made again under the key begins with number 1 (contract W 2.11). */
export function removeHead({ id, key }: Pick<TaskOwner, "id" | "key">): Write {
  return remove(keys.taskHead(key), mustBeOneOf("ownerId", [id]));
}

export function findHead(ownerKey: string): Promise<Item<TaskHead> | undefined> {
  return table().get<TaskHead>(keys.taskHead(ownerKey));
}

/** For half the units: what it says of numbers may be of a moment ago. */
export function readTaskHead(ownerKey: string): Promise<Item<TaskHead> | undefined> {
  return table().get<TaskHead>(keys.taskHead(ownerKey), { consistent: false });
}

/** Whose tasks are under a key. */
export async function findTaskOwner(ownerKey: string): Promise<TaskOwner | undefined> {
  return (await readTaskHead(ownerKey))?.owner;
}

export function findHeads(ownerKeys: readonly string[]): Promise<Item<TaskHead>[]> {
  return table().getMany<TaskHead>(ownerKeys.map((key) => keys.taskHead(key)));
}
