import { nowSeconds } from "../../base/store/ids.ts";
import { tryWrite } from "../../base/store/tryWrite.ts";
import { readConcurrency } from "../records/concurrency.ts";
import { findTask } from "../records/findTasks.ts";
import { admitTasks, moveToOwnQueue } from "../records/ownQueues.ts";
import {
  cancelWaiting,
  type DispatchOutcome,
  dispatchTask,
  type QueuedTask,
  type QueueFront,
  readQueueFront,
} from "../records/queue.ts";
import { freeSlots, runningIn } from "../records/rules/slots.ts";
import type { Task, TaskOwner } from "../records/task.ts";
import { findHead, findHeads, roomOf, type TaskHead } from "../records/taskHeads.ts";
import { startTaskExecution } from "./taskExecution.ts";

/** Another dispatch at the same moment makes this one look again; this often it looks. */
const maxRounds = 50;

/**
 * Starts whatever the limits allow, in start order (contract W 8.4): called whenever a slot becomes free or a limit
 * rises, by any caller, any number of times at once. What cannot start now starts when the next task ends. It reads the
 * front of the queue, however many wait behind it (docs/decisions/0204).
 * @param freed whose slot became free, or whose limit changed; absent: only the installation's
 */
export async function dispatchTasks(freed?: Pick<TaskOwner, "id" | "key">): Promise<void> {
  for (let round = 0; round < maxRounds; round++) {
    const admitted = freed === undefined ? 0 : await admitOf(freed);
    await dispatchRounds();
    if (admitted === 0) return;
  }
}

/** Starts a task that was put into the queue, with whatever comes before it. @param task as it was written */
export async function dispatchNew(task: Task): Promise<void> {
  if (!(await dispatchAlone(task))) await dispatchRounds();
}

async function admitOf({ id, key }: Pick<TaskOwner, "id" | "key">): Promise<number> {
  const head = await findHead(key);
  return head?.ownerId === id ? admitTasks(head) : 0;
}

async function dispatchRounds(): Promise<void> {
  for (let round = 0; round < maxRounds; round++) if (await dispatchRound()) return;
}

/**
 * A task that comes while everything that waits can start: it starts by itself, and those who put the others there start
 * them, so that many that come at the same moment do not start each other.
 * @returns false when others come first, or it is not sure
 */
async function dispatchAlone(task: Task): Promise<boolean> {
  const front = await readQueueFront();
  if (!front.isWhole) return false;
  const [{ workflowConcurrency }, head] = await Promise.all([readConcurrency(), findHead(task.owner.key)]);
  if (head?.ownerId !== task.owner.id || roomOf(head) === 0 || (head.queued ?? 0) > 0) return false;
  const isFirst = !front.waiting.some(({ owner, position }) => owner.id === head.ownerId && position < task.position);
  if (!isFirst || runningIn(front.slots) + front.waiting.length > workflowConcurrency) return false;
  return (await startIn(front, workflowConcurrency, task, head)) === "dispatched";
}

/**
 * @returns whether nothing is left to do: all that could start were started. Tasks that came and slots that became free
 * since the read are dispatched by the process that added them.
 */
async function dispatchRound(): Promise<boolean> {
  const front = await readQueueFront();
  if (front.waiting.length === 0) return true;
  const { workflowConcurrency } = await readConcurrency();
  const room = workflowConcurrency - runningIn(front.slots);
  if (room <= 0) return true;
  const candidates = front.waiting.slice(0, room);
  const found = await findHeads([...new Set(candidates.map(({ owner }) => owner.key))]);
  const heads = new Map(found.map((head): [string, TaskHead] => [head.ownerId, { ...head }]));
  let areAllStarted = true;
  for (const queued of candidates) {
    const outcome = await dispatchOne(front, workflowConcurrency, queued, heads.get(queued.owner.id));
    areAllStarted &&= outcome === "dispatched";
    // What was read is out of date.
    if (outcome === "slot" || outcome === "owner full" || outcome === "others first") return false;
  }
  return areAllStarted && (candidates.length === room || front.isWhole);
}

/** @param head as it was read, and changed with what this round started */
async function dispatchOne(
  front: QueueFront,
  installation: number,
  queued: QueuedTask,
  head: TaskHead | undefined,
): Promise<DispatchOutcome | "others first" | "set aside"> {
  const task = head === undefined || roomOf(head) > 0 ? await findTask(queued.owner.id, queued.taskId) : undefined;
  if (head === undefined) {
    if (task !== undefined) await dropOrphan(task);
    return "task";
  }
  if (roomOf(head) === 0) return (await moveToOwnQueue(queued, head)) ? "set aside" : "task";
  if (task?.status !== "waiting") return "task";
  if ((await admitTasks(head, queued.position)) > 0) return "others first";
  return startIn(front, installation, task, head);
}

/** Gives a task its slots and starts it; slots and head count it then. */
async function startIn(
  { slots }: QueueFront,
  installation: number,
  task: Task,
  head: TaskHead,
): Promise<DispatchOutcome> {
  const free = freeSlots(slots, installation);
  const slot = free[Math.floor(Math.random() * free.length)];
  if (slot === undefined) return "slot";
  const outcome = await dispatchTask(task, slot, head.limit);
  if (outcome !== "dispatched") return outcome;
  head.running++;
  slots.sharded.set(slot.shard, (slots.sharded.get(slot.shard) ?? 0) + 1);
  await startTaskExecution({ ...task, attempt: task.attempt + 1 });
  return outcome;
}

/** A task that waits for a workflow that was deleted never starts (contract W 8.4); a test or a scan likewise. */
async function dropOrphan(task: Task): Promise<void> {
  if (task.status !== "waiting") return;
  const gone = { revoker: "system", endTime: nowSeconds(), error: `its ${task.owner.kind} was deleted` };
  await tryWrite(cancelWaiting(task, gone));
}

/**
 * Starts what may start of the owners of waiting tasks: a process may have died between freeing a slot, or raising a
 * limit, and the dispatch. Drops tasks whose owner is gone. @param waiting as they were a moment ago
 * @returns those that were dropped: what follows the end of a task is still to be done for them
 */
export async function resumeQueues(waiting: readonly Task[]): Promise<readonly Task[]> {
  const owners = new Map(waiting.map(({ owner }) => [owner.id, owner]));
  const found = await findHeads([...new Set(waiting.map(({ owner }) => owner.key))]);
  const heads = new Map(found.map((head) => [head.ownerId, head]));
  for (const owner of owners.values()) {
    const head = heads.get(owner.id);
    if (head !== undefined && (head.queued ?? 0) > 0 && roomOf(head) > 0) await dispatchTasks(owner);
  }
  const orphans = waiting.filter(({ owner }) => !heads.has(owner.id));
  for (const task of orphans) await dropOrphan(task);
  await dispatchTasks();
  return orphans;
}
