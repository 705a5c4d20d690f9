import {
  absent,
  both,
  type Condition,
  either,
  equals,
  less,
  mustBeOneOf,
  mustExist,
  not,
} from "../../base/store/conditions.ts";
import { keys } from "../../base/store/keys/keys.ts";
import { queueBounds, queueKeys } from "../../base/store/keys/queueKeys.ts";
import { table } from "../../base/store/table.ts";
import { conflictedOn, conflictedOnlyOn, type Item, TransactionContended } from "../../base/store/tableClient.ts";
import { contentOf, create, named, remove, update, type Write } from "../../base/store/writes.ts";
import { costWrites } from "../../reports/costs/store/costDays.ts";
import { changeTask } from "./changeTask.ts";
import type { WholeTask } from "./findTasks.ts";
import { publishTask } from "./publishTask.ts";
import { type FreeSlot, type Slots, slotShards } from "./rules/slots.ts";
import { taskStatusesAccepting } from "./rules/status.ts";
import { spending } from "./rules/usedByTask.ts";
import type { StoredPlan, Task, TaskOwner, TaskSnapshot } from "./task.ts";
import { findHead, roomOf, type TaskHead } from "./taskHeads.ts";
import { createTaskItem, duePlace, planItem, snapshotItem } from "./taskItems.ts";

export interface QueuedTask {
  position: number;
  owner: TaskOwner;
  taskId: number;
}

/** Where a task waits: for a slot of the installation (`waiting`), or first for the end of another of its owner's. */
export type TaskQueue = "waiting" | "own";

/** Where a task of an owner waits that is made now. */
export function queueFor(head: TaskHead): TaskQueue {
  return roomOf(head) === 0 ? "own" : "waiting";
}

/** Fails unless an owner's limit is the one that was read, and no task more may run by it. */
export function ownerIsFull({ ownerId, limit = 0 }: TaskHead): Condition {
  return both(mustBeOneOf("ownerId", [ownerId]), equals("limit", limit), not(less("running", limit)));
}

/** Where a task that is made or queued now comes: behind everything of its owner. */
export function nextPosition(head: TaskHead | undefined): number {
  return Math.max(Date.now(), (head?.position ?? 0) + 1);
}

/**
 * Numbers, stores and queues a task in one transaction. `head` is what was read; `beside` goes with it.
 * @throws ConditionFailed of "task" alone when another task of the owner came first; of others when what is beside does
 * not hold
 */
export function createQueuedTask(
  task: Task,
  stored: StoredPlan & { snapshot: TaskSnapshot },
  head: TaskHead,
  beside: readonly Write[],
): Promise<void> {
  const own = [
    countTask(task, head),
    createTaskItem(task),
    create(planItem(task, { plan: stored.plan })),
    create(snapshotItem(task, stored.snapshot)),
    enqueue(task, queueFor(head)),
  ];
  return table().writeOnce(...own.map((write) => named("task", write)), publishTask(task), ...beside);
}

/** Fails unless the owner exists and nothing of it was numbered or queued since the head was read. */
function countTask({ owner, taskId, position }: Task, head: TaskHead): Write {
  const unchanged = both(mustBeOneOf("ownerId", [owner.id]), mustBeOneOf("position", [head.position]));
  const set = { last: taskId, position };
  if (queueFor(head) === "waiting") return update(keys.taskHead(owner.key), { set }, unchanged);
  return update(keys.taskHead(owner.key), { set, add: { queued: 1 } }, both(unchanged, ownerIsFull(head)));
}

function enqueue({ position, owner, taskId }: Task, queue: TaskQueue): Write {
  return create(queueItem({ position, owner, taskId }, queue));
}

/** A place in the queue of the installation (`waiting`), or in that of the task's owner. */
export function queueItem({ position, owner, taskId }: QueuedTask, queue: TaskQueue) {
  return { ...queueKeys[queue](position, owner.id, taskId), type: "queued-task", position, owner, taskId };
}

export function leaveQueue({ position, owner, taskId }: QueuedTask, queue: TaskQueue): Write {
  return remove(queueKeys[queue](position, owner.id, taskId), mustExist);
}

/**
 * Puts a task back into the queue: after a retry, or when the stage it paused at was executed.
 * @throws ConditionFailed when its status does not allow it, or its run before still holds a slot
 */
export async function requeue(
  task: Task,
  set: Partial<Task>,
  event: "retry" | "execute",
  beside: readonly Write[] = [],
): Promise<Task> {
  const head = await findHead(task.owner.key);
  const queued: Task = { ...task, ...set, status: "waiting", position: nextPosition(head), concluded: false };
  const { owner: _owner, taskId: _taskId, recordId: _recordId, ...changed } = contentOf(queued);
  const isFree = both(mustBeOneOf("status", taskStatusesAccepting(event)), mustBeOneOf("holdsSlot", [false]));
  const change = changeTask(task, { ...changed, ...duePlace(task) }, isFree);
  await table().write(change, enqueue(queued, "waiting"), publishTask(queued), ...beside);
  return queued;
}

/** How many waiting tasks are looked at in one go. */
const frontSize = 20;

/** What decides what starts next: slots that are taken, and the first tasks that wait for one. */
export interface QueueFront {
  slots: Slots;
  /** In start order. */
  waiting: Item<QueuedTask>[];
  /** Nothing waits behind them. */
  isWhole: boolean;
}

/** The front of the installation's queue, in one read that costs the same however many wait behind it; consistent. */
export async function readQueueFront(): Promise<QueueFront> {
  const limit = 1 + slotShards + frontSize;
  const { pk } = queueKeys.slots();
  const items = await table().query<object>({ pk, between: queueBounds, limit });
  const ofType = <T>(type: string) => items.filter((item) => item.type === type) as Item<T>[];
  const counters = ofType<{ running: number; shard?: number }>("task-slots");
  const unsharded = counters.find(({ shard }) => shard === undefined)?.running ?? 0;
  const sharded = counters.flatMap(({ shard, running }): [number, number][] =>
    shard === undefined ? [] : [[shard, running]],
  );
  const waiting = ofType<QueuedTask>("queued-task");
  return { slots: { unsharded, sharded: new Map(sharded) }, waiting, isWhole: items.length < limit };
}

/** A limit of running tasks; undefined is none. */
export type Limit = number | undefined;

/** Which write of a dispatch did not hold: `task` lost to another dispatch or a cancel, `slot` to another task. */
export type DispatchOutcome = "dispatched" | "task" | "slot" | "owner full";

/**
 * Takes a task out of the installation's queue and gives it a slot there and one of its owner; exact, even when other
 * processes dispatch at the same moment.
 */
export async function dispatchTask(task: Task, slot: FreeSlot, ownLimit: Limit): Promise<DispatchOutcome> {
  const held = { status: "queued", attempt: task.attempt + 1, holdsSlot: true, slot: slot.shard } as const;
  try {
    await table().write(
      named("task", leaveQueue(task, "waiting")),
      named("task", changeTask(task, held, "dispatch")),
      named("installation slot", takeSlot(slot)),
      named("owner slot", takeOwnerSlot(task.owner, ownLimit)),
    );
    return "dispatched";
  } catch (error) {
    if (conflictedOn(error, "task")) return "task";
    if (conflictedOn(error, "installation slot") || error instanceof TransactionContended) return "slot";
    if (conflictedOn(error, "owner slot")) return "owner full";
    throw error;
  }
}

function takeSlot({ shard, share }: FreeSlot): Write {
  const free = either(absent("running"), less("running", share));
  return update(queueKeys.slots(shard), { set: { type: "task-slots", shard }, add: { running: 1 } }, free);
}

function takeOwnerSlot(owner: TaskOwner, limit: Limit): Write {
  const own = mustBeOneOf("ownerId", [owner.id]);
  const free = limit === undefined ? own : both(own, less("running", limit));
  return update(keys.taskHead(owner.key), { add: { running: 1 } }, free);
}

/**
 * Drops a waiting task as cancelled: on request, or because its workflow is gone.
 * @throws ConditionFailed when it was dispatched or dropped before, or moves from one queue to the other
 */
export async function cancelWaiting(task: Task, set: Partial<Task>): Promise<void> {
  const status = "cancelled";
  const { position, owner, taskId } = task;
  const own = queueKeys.own(position, owner.id, taskId);
  const change = [changeTask(task, { ...set, status }, "dispatch"), publishTask({ ...task, status })];
  if ((await table().get(own)) === undefined) return table().write(leaveQueue(task, "waiting"), ...change);
  const leaving = [leaveQueue(task, "own"), ...change];
  const counted = update(keys.taskHead(owner.key), { add: { queued: -1 } }, mustBeOneOf("ownerId", [owner.id]));
  try {
    await table().write(...leaving, named("owner slot", counted));
  } catch (error) {
    if (!conflictedOnlyOn(error, "owner slot")) throw error;
    // The owner has gone, and its count with it.
    await table().write(...leaving);
  }
}

/**
 * Ends a run, or pauses it, and frees its slots; what it used since it got them is counted with it.
 * @throws ConditionFailed when it ended before, is another attempt's, or has another status than was read: a cancel counts
 * from the moment that it was accepted
 */
export async function releaseTask(whole: WholeTask, set: Partial<Task>): Promise<void> {
  const { task } = whole;
  const { spent, used } = spending(whole);
  const { projectKey, key: workflowKey } = task.owner;
  const id = `${task.recordId}-${task.attempt}`;
  const counted = costWrites({ projectKey, workflowKey, taskId: task.taskId, id, used });
  const held = both(mustBeOneOf("attempt", [task.attempt]), mustBeOneOf("holdsSlot", [true]));
  const unchanged = both(held, mustBeOneOf("status", [task.status]));
  const change = changeTask(task, { ...set, spent, holdsSlot: false }, unchanged);
  const installation = update(queueKeys.slots(task.slot), { add: { running: -1 } }, mustExist);
  const ownOwner = mustBeOneOf("ownerId", [task.owner.id]);
  const ofOwner = named("owner slot", update(keys.taskHead(task.owner.key), { add: { running: -1 } }, ownOwner));
  const event = publishTask({ ...task, ...set });
  try {
    await table().write(change, installation, ofOwner, event, ...counted);
  } catch (error) {
    if (!conflictedOnlyOn(error, "owner slot")) throw error;
    // The owner has gone, and its slots with it.
    await table().write(change, installation, event, ...counted);
  }
}
