import { mustBeOneOf } from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { queueKeys } from "../../base/store/keys/queueKeys.ts";
import { table } from "../../base/store/table.ts";
import { ConditionFailed, TransactionContended } from "../../base/store/tableClient.ts";
import { create, update, type Write } from "../../base/store/writes.ts";
import { leaveQueue, ownerIsFull, type QueuedTask, queueItem } from "./queue.ts";
import { roomOf, type TaskHead } from "./taskHeads.ts";

/** Each is two writes of a transaction. */
const mostAtOnce = 25;

/**
 * Moves a task from the installation's queue to that of its owner, which runs as many as it may: a search for tasks
 * that could start does not meet it there. The process that frees a slot of the owner brings it back (`admitTasks`).
 * @param head as it was read
 * @returns false when it was dispatched or cancelled meanwhile, or the owner has a free slot or another limit by now
 */
export async function moveToOwnQueue(task: QueuedTask, head: TaskHead): Promise<boolean> {
  if (head.limit === undefined) return false;
  const counted = update(keys.taskHead(head.owner.key), { add: { queued: 1 } }, ownerIsFull(head));
  return held(leaveQueue(task, "waiting"), create(queueItem(task, "own")), counted);
}

/**
 * Brings tasks of an owner's queue, in their order and as many as its limit has room for, to the installation's queue,
 * where they start in turn with those of others.
 * @param before only tasks whose position is lower
 * @returns how many came
 */
export async function admitTasks(head: TaskHead, before = Number.POSITIVE_INFINITY): Promise<number> {
  const { ownerId, owner, queued = 0 } = head;
  const limit = Math.min(roomOf(head), mostAtOnce);
  if (queued <= 0 || limit === 0) return 0;
  const found = await table().query<QueuedTask>({ pk: queueKeys.own(0, ownerId, 0).pk, limit });
  const next = found.filter(({ position }) => position < before);
  if (next.length === 0) return 0;
  const moves = next.flatMap((task) => [leaveQueue(task, "own"), create(queueItem(task, "waiting"))]);
  const ofOwner = mustBeOneOf("ownerId", [ownerId]);
  const counted = update(keys.taskHead(owner.key), { add: { queued: -next.length } }, ofOwner);
  // On a conflict another process brought them, or one was cancelled; the caller looks again.
  return (await held(...moves, counted)) ? next.length : 0;
}

async function held(...writes: readonly Write[]): Promise<boolean> {
  try {
    await table().write(...writes);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed || error instanceof TransactionContended) return false;
    throw error;
  }
}
