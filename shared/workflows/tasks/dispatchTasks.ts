import { embedFigure } from "../../figures/embedFigure.ts";
import { nowSeconds } from "../../store/ids.ts";
import { unlessLost } from "../../store/unlessLost.ts";
import { readConcurrency } from "../records/concurrency.ts";
import { findTask } from "../records/findTasks.ts";
import { cancelWaiting, dispatchTask, type QueuedTask, runningTasks, waitingTasks } from "../records/queue.ts";
import { startable } from "../records/rules/startable.ts";
import type { Task } from "../records/task.ts";
import { findHeads } from "../records/taskHeads.ts";
import { startTaskExecution } from "./taskExecution.ts";

/** Another dispatch at the same moment makes this one look again; this often it looks. */
const maxRounds = 50;

/**
 * Starts whatever the limits allow, in start order (contract W 8.4): called whenever a task comes or a slot becomes
 * free, by anybody, any number of times at once. What cannot start now starts when the next task ends.
 */
export async function dispatchTasks(): Promise<void> {
  for (let round = 0; round < maxRounds; round++) if (await dispatchChosen(await choose())) return;
}

/**
 * @returns whether nothing is left to do: all that could start were started. What has come or become free since they
 * were chosen is dispatched by whoever put it there.
 */
async function dispatchChosen(chosen: readonly Chosen[]): Promise<boolean> {
  let isDone = true;
  for (const { queued, limits } of chosen) {
    const task = await findTask(queued.owner.id, queued.taskId);
    const outcome = task?.status === "waiting" ? await dispatchTask(task, limits) : "task";
    if (task !== undefined && outcome === "dispatched")
      await startTaskExecution({ ...task, attempt: task.attempt + 1 });
    else isDone = false;
    if (outcome !== "dispatched" && outcome !== "task") break;
  }
  return isDone;
}

interface Chosen {
  queued: QueuedTask;
  limits: { installation: number; owner: number | undefined };
}

async function choose(): Promise<Chosen[]> {
  const waiting = await waitingTasks();
  embedFigure("openTasks", { status: "waiting" }, waiting.length);
  if (waiting.length === 0) return [];
  const [{ workflowConcurrency: installation }, running, found] = await Promise.all([
    readConcurrency(),
    runningTasks(),
    findHeads([...new Set(waiting.map(({ owner }) => owner.key))]),
  ]);
  const heads = new Map(found.map((head) => [head.ownerId, head]));
  const orphans = waiting.filter(({ owner }) => !heads.has(owner.id));
  for (const { owner, taskId } of orphans) await drop(await findTask(owner.id, taskId));
  const limitOf = ({ owner }: QueuedTask) => heads.get(owner.id)?.limit;
  const alive = waiting.filter(({ owner }) => heads.has(owner.id));
  const free = startable(
    alive.map((queued) => ({ ...queued, key: queued.owner.id, limit: limitOf(queued) })),
    { running, limit: installation, runningOf: new Map(found.map((head) => [head.ownerId, head.running])) },
  );
  return free.map((queued) => ({ queued, limits: { installation, owner: limitOf(queued) } }));
}

/** A task that waits for a workflow that was deleted never starts (contract W 8.4); a test or a scan likewise. */
async function drop(task: Task | undefined): Promise<void> {
  if (task?.status !== "waiting") return;
  const gone = { revoker: "system", endTime: nowSeconds(), error: `its ${task.owner.kind} was deleted` };
  await unlessLost(cancelWaiting(task, gone));
}
